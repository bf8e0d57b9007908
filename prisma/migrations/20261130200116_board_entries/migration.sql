-- DropIndex
DROP INDEX "rollouts_robot_repo_id_fingerprint_lowest_idx";

-- DropIndex
DROP INDEX "rollouts_model_repo_id_robot_repo_id_fingerprint_policy_pat_idx";

-- AlterTable
ALTER TABLE "rollouts" ADD COLUMN     "is_entry" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "rollouts_robot_repo_id_idx" ON "rollouts"("robot_repo_id");

-- CreateIndex
CREATE INDEX "rollouts_by_policy" ON "rollouts"("model_repo_id", "robot_repo_id", "fingerprint", "policy_path", "model_seq" DESC, "seeds" DESC, "first_seed", "id");

-- Which result of a policy its board has: of the newest version with a result, the one with most seeds, from the lowest one, the oldest.
UPDATE rollouts x SET is_entry = true
FROM (SELECT DISTINCT ON (model_repo_id, robot_repo_id, fingerprint, policy_path) id FROM rollouts
  ORDER BY model_repo_id, robot_repo_id, fingerprint, policy_path, model_seq DESC, seeds DESC, first_seed, id) best
WHERE x.id = best.id;

-- What orders results never changes, so only a result that comes or goes can change it. Those who publish for a model go one after another.
CREATE FUNCTION board_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE rollouts x SET is_entry = false
  FROM (SELECT DISTINCT model_repo_id, robot_repo_id, fingerprint, policy_path FROM changed) g
  CROSS JOIN LATERAL (SELECT n.id FROM rollouts n WHERE n.model_repo_id = g.model_repo_id AND n.robot_repo_id = g.robot_repo_id
    AND n.fingerprint = g.fingerprint AND n.policy_path = g.policy_path
    ORDER BY n.model_seq DESC, n.seeds DESC, n.first_seed, n.id LIMIT 1) best
  WHERE x.is_entry AND x.model_repo_id = g.model_repo_id AND x.robot_repo_id = g.robot_repo_id
    AND x.fingerprint = g.fingerprint AND x.policy_path = g.policy_path AND x.id <> best.id;
  UPDATE rollouts x SET is_entry = true
  FROM (SELECT DISTINCT model_repo_id, robot_repo_id, fingerprint, policy_path FROM changed) g
  CROSS JOIN LATERAL (SELECT n.id, n.is_entry FROM rollouts n WHERE n.model_repo_id = g.model_repo_id AND n.robot_repo_id = g.robot_repo_id
    AND n.fingerprint = g.fingerprint AND n.policy_path = g.policy_path
    ORDER BY n.model_seq DESC, n.seeds DESC, n.first_seed, n.id LIMIT 1) best
  WHERE x.id = best.id AND NOT best.is_entry;
  RETURN NULL;
END $$;
CREATE TRIGGER rollouts_entry_comes AFTER INSERT ON rollouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION board_entries();
CREATE TRIGGER rollouts_entry_goes AFTER DELETE ON rollouts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION board_entries();

CREATE UNIQUE INDEX rollouts_entry ON rollouts (model_repo_id, robot_repo_id, fingerprint, policy_path) WHERE is_entry;
DROP INDEX rollouts_public_best;
DROP INDEX rollouts_private_best;
CREATE INDEX rollouts_public_best ON rollouts (robot_repo_id, fingerprint, lowest DESC) WHERE model_is_public AND is_entry;
CREATE INDEX rollouts_private_best ON rollouts (robot_repo_id, model_owner_id, fingerprint, lowest DESC) WHERE NOT model_is_public AND is_entry;
