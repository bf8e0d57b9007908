-- CreateEnum
CREATE TYPE "EpisodeChoice" AS ENUM ('keep', 'drop');

-- CreateEnum
CREATE TYPE "EpisodeOutcome" AS ENUM ('success', 'failure');

-- CreateTable
CREATE TABLE "episode_labels" (
    "id" TEXT NOT NULL,
    "repo_id" TEXT NOT NULL,
    "episode" INTEGER NOT NULL,
    "choice" "EpisodeChoice",
    "outcome" "EpisodeOutcome",
    "note" TEXT,
    "is_current" BOOLEAN NOT NULL DEFAULT true,
    "previous_id" TEXT,
    "undone_id" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "episode_labels_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "episode_labels_repo_id_id_idx" ON "episode_labels"("repo_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "episode_labels" ADD CONSTRAINT "episode_labels_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "episode_labels" ADD CONSTRAINT "episode_labels_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot express: an episode has one current label.
CREATE UNIQUE INDEX "episode_labels_current" ON "episode_labels"("repo_id", "episode") WHERE "is_current";
ALTER TABLE "episode_labels" ADD CONSTRAINT "episode_labels_episode_counted" CHECK ("episode" >= 0);
ALTER TABLE "episode_labels" ADD CONSTRAINT "episode_labels_note_length" CHECK (char_length("note") <= 4000);
