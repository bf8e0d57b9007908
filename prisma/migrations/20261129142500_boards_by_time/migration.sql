-- The newest results of a board, in the order of the index: a board counts no more than it says.
DROP INDEX rollouts_public;
DROP INDEX rollouts_private;
CREATE INDEX rollouts_public ON rollouts (robot_repo_id, task, fingerprint, created_at DESC) WHERE model_is_public;
CREATE INDEX rollouts_private ON rollouts (robot_repo_id, model_owner_id, task, fingerprint, created_at DESC) WHERE NOT model_is_public;
