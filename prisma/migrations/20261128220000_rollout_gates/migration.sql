-- CreateTable
CREATE TABLE "rollout_gates" (
    "model_repo_id" TEXT NOT NULL,
    "robot_repo_id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "task" TEXT NOT NULL,
    "least" DOUBLE PRECISION NOT NULL,
    "seeds" INTEGER NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rollout_gates_pkey" PRIMARY KEY ("model_repo_id","robot_repo_id","fingerprint"),
    CONSTRAINT "rollout_gates_bounds" CHECK (0 < least AND least <= 1 AND seeds BETWEEN 1 AND 1000 AND fingerprint ~ '^[0-9a-f]{64}$' AND char_length(task) BETWEEN 1 AND 64)
);

-- CreateIndex
CREATE INDEX "rollout_gates_robot_repo_id_idx" ON "rollout_gates"("robot_repo_id");

-- AddForeignKey
ALTER TABLE "rollout_gates" ADD CONSTRAINT "rollout_gates_model_repo_id_fkey" FOREIGN KEY ("model_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollout_gates" ADD CONSTRAINT "rollout_gates_robot_repo_id_fkey" FOREIGN KEY ("robot_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollout_gates" ADD CONSTRAINT "rollout_gates_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
