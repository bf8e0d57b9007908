-- DropForeignKey
ALTER TABLE "rollout_gates" DROP CONSTRAINT "rollout_gates_robot_repo_id_fkey";

-- DropIndex
DROP INDEX "rollout_gates_robot_repo_id_idx";

-- AlterTable
-- Who published the results that exist is not known, so gates do not count them until a person publishes them again; the same holds for what
-- an instance of an older version publishes during an update, which knows neither column.
ALTER TABLE "rollouts" ADD COLUMN     "by_agent" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "rollout_gates" ADD COLUMN     "robot" TEXT NOT NULL DEFAULT '';
UPDATE "rollout_gates" g SET "robot" = o.handle || '/' || r.slug
  FROM "repos" r JOIN "accounts" o ON o.id = r.owner_id WHERE r.id = g.robot_repo_id;
