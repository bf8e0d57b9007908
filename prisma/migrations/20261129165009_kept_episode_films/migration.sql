-- AlterTable
ALTER TABLE "episode_films" ADD COLUMN     "kept_id" BIGINT,
ALTER COLUMN "robot_repo_id" DROP NOT NULL,
ALTER COLUMN "robot_seq" DROP NOT NULL,
ALTER COLUMN "episode" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "episode_films_kept_id_kind_frame_key" ON "episode_films"("kept_id", "kind", "frame");

-- AddForeignKey
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_kept_id_fkey" FOREIGN KEY ("kept_id") REFERENCES "rollout_episodes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Of an episode of a data set, which it names with a robot, or of one that a result keeps, which says both.
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_of_one" CHECK (num_nonnulls(episode, robot_repo_id, robot_seq) = CASE WHEN kept_id IS NULL THEN 3 ELSE 0 END);
