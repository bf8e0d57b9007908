-- AlterTable
ALTER TABLE "run_datasets" ADD COLUMN     "selected_count" INTEGER,
ADD COLUMN     "selection" TEXT,
ADD COLUMN     "selection_fingerprint" TEXT;

-- CreateTable
CREATE TABLE "episode_selections" (
    "repo_id" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "seq" INTEGER NOT NULL,
    "episodes" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "total" INTEGER NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "note" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "episode_selections_pkey" PRIMARY KEY ("repo_id","name"),
    CONSTRAINT "episode_selections_name_form" CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
    CONSTRAINT "episode_selections_counted" CHECK (seq >= 0 AND count >= 1 AND count <= total),
    CONSTRAINT "episode_selections_episodes_form" CHECK (episodes ~ '^[0-9,-]+$' AND char_length(episodes) <= 65536 AND fingerprint ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "episode_selections_note_length" CHECK (char_length(note) <= 4000)
);

-- AddForeignKey
ALTER TABLE "episode_selections" ADD CONSTRAINT "episode_selections_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "episode_selections" ADD CONSTRAINT "episode_selections_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "run_datasets" ADD CONSTRAINT "run_datasets_selection_whole" CHECK (
    (selection IS NULL) = (selected_count IS NULL) AND (selection IS NULL) = (selection_fingerprint IS NULL));
