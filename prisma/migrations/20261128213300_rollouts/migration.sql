-- CreateEnum
CREATE TYPE "RolloutEnding" AS ENUM ('reached', 'missed', 'failed', 'diverged');

-- CreateTable
CREATE TABLE "rollouts" (
    "id" TEXT NOT NULL,
    "model_repo_id" TEXT NOT NULL,
    "model_seq" INTEGER NOT NULL,
    "model_commit" TEXT NOT NULL,
    "policy_path" TEXT NOT NULL,
    "policy_digest" TEXT NOT NULL,
    "robot_repo_id" TEXT NOT NULL,
    "robot_seq" INTEGER NOT NULL,
    "robot_commit" TEXT NOT NULL,
    "task" TEXT COLLATE "C" NOT NULL,
    "conditions" JSON NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "map_fingerprint" TEXT,
    "first_seed" INTEGER NOT NULL,
    "seeds" INTEGER NOT NULL,
    "successes" INTEGER NOT NULL,
    "lowest" DOUBLE PRECISION NOT NULL,
    "highest" DOUBLE PRECISION NOT NULL,
    "mean_return" DOUBLE PRECISION NOT NULL,
    "mean_seconds" DOUBLE PRECISION NOT NULL,
    "software" JSON NOT NULL,
    "key" TEXT NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollouts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "rollouts_counts" CHECK (first_seed >= 0 AND seeds BETWEEN 1 AND 1000 AND first_seed <= 2147483647 - seeds AND successes BETWEEN 0 AND seeds),
    CONSTRAINT "rollouts_interval" CHECK (0 <= lowest AND lowest <= highest AND highest <= 1),
    CONSTRAINT "rollouts_digest_forms" CHECK (policy_digest ~ '^[0-9a-f]{64}$' AND fingerprint ~ '^[0-9a-f]{64}$' AND key ~ '^[0-9a-f]{64}$' AND (map_fingerprint IS NULL OR map_fingerprint ~ '^[0-9a-f]{64}$')),
    CONSTRAINT "rollouts_commit_forms" CHECK (model_commit ~ '^[0-9a-f]{40}$' AND robot_commit ~ '^[0-9a-f]{40}$'),
    CONSTRAINT "rollouts_sizes" CHECK (octet_length(conditions::text) <= 65536 AND octet_length(software::text) <= 4096 AND char_length(task) BETWEEN 1 AND 64)
);

-- CreateTable
CREATE TABLE "rollout_outcomes" (
    "rollout_id" TEXT NOT NULL,
    "seed" INTEGER NOT NULL,
    "success" BOOLEAN NOT NULL,
    "ending" "RolloutEnding" NOT NULL,
    "return" DOUBLE PRECISION NOT NULL,
    "seconds" DOUBLE PRECISION NOT NULL,
    "steps" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,

    CONSTRAINT "rollout_outcomes_pkey" PRIMARY KEY ("rollout_id","seed"),
    CONSTRAINT "rollout_outcomes_bounds" CHECK (seed >= 0 AND seconds >= 0 AND steps >= 0 AND fingerprint ~ '^[0-9a-f]{16}$')
);

-- CreateIndex
CREATE INDEX "rollouts_model_repo_id_id_idx" ON "rollouts"("model_repo_id", "id" DESC);

-- CreateIndex
CREATE INDEX "rollouts_robot_repo_id_task_fingerprint_idx" ON "rollouts"("robot_repo_id", "task", "fingerprint");

-- CreateIndex
CREATE INDEX "rollouts_robot_repo_id_fingerprint_lowest_idx" ON "rollouts"("robot_repo_id", "fingerprint", "lowest" DESC);

-- CreateIndex
CREATE INDEX "rollouts_model_repo_id_robot_repo_id_fingerprint_policy_pat_idx" ON "rollouts"("model_repo_id", "robot_repo_id", "fingerprint", "policy_path", "model_seq");

-- CreateIndex
CREATE UNIQUE INDEX "rollouts_model_repo_id_key_key" ON "rollouts"("model_repo_id", "key");

-- AddForeignKey
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_model_repo_id_fkey" FOREIGN KEY ("model_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_robot_repo_id_fkey" FOREIGN KEY ("robot_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollout_outcomes" ADD CONSTRAINT "rollout_outcomes_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "rollouts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
