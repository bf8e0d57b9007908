-- CreateEnum
CREATE TYPE "EpisodeFilmKind" AS ENUM ('still', 'video');

-- AlterTable
ALTER TABLE "repos" ADD COLUMN     "film_bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "episode_films" (
    "id" TEXT NOT NULL,
    "repo_id" TEXT NOT NULL,
    "owner_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "robot_repo_id" TEXT NOT NULL,
    "robot_seq" INTEGER NOT NULL,
    "map_version" INTEGER NOT NULL,
    "kind" "EpisodeFilmKind" NOT NULL,
    "episode" INTEGER NOT NULL,
    "frame" INTEGER NOT NULL,
    "status" "JobStatus" NOT NULL,
    "requested_by" TEXT,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "worker" TEXT,
    "claim_credential" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lost" INTEGER NOT NULL DEFAULT 0,
    "lease_expires_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "storage_key" TEXT,
    "store_upload_id" TEXT,
    "size" INTEGER,
    "sha256" TEXT,

    CONSTRAINT "episode_films_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "episode_films_repo_id_id_idx" ON "episode_films"("repo_id", "id" DESC);

-- CreateIndex
CREATE INDEX "episode_films_repo_id_episode_id_idx" ON "episode_films"("repo_id", "episode", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "episode_films_repo_id_episode_kind_frame_seq_robot_repo_id__key" ON "episode_films"("repo_id", "episode", "kind", "frame", "seq", "robot_repo_id", "robot_seq", "map_version");

-- CreateIndex
CREATE UNIQUE INDEX "episode_films_storage_key_key" ON "episode_films"("storage_key");

-- AddForeignKey
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "repos" ADD CONSTRAINT "repos_films_counted" CHECK (film_bytes >= 0);
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_counted" CHECK (seq >= 0 AND robot_seq >= 0 AND map_version >= 0 AND episode >= 0 AND frame >= 0 AND attempt >= 0 AND lost >= 0 AND (size IS NULL OR size > 0));
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_claimed_whole" CHECK ((status = 'running') = (claim_credential IS NOT NULL) AND (status = 'running') = (lease_expires_at IS NOT NULL));
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_ended" CHECK (status <> 'canceled' AND (status = 'failed') = (error IS NOT NULL));
ALTER TABLE "episode_films" ADD CONSTRAINT "episode_films_sent_whole" CHECK ((storage_key IS NULL) = (store_upload_id IS NULL) AND (storage_key IS NULL) = (size IS NULL) AND (storage_key IS NULL) = (sha256 IS NULL) AND (status <> 'succeeded' OR storage_key IS NOT NULL));

-- What a worker of an owner may take, the oldest first: at most 50 of an owner.
CREATE INDEX "episode_films_open" ON "episode_films"("owner_id", "requested_at", "id") WHERE status IN ('queued', 'running');

CREATE OR REPLACE FUNCTION follow_repo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repo_bodies SET owner_id = new.owner_id, is_public = new.visibility = 'public' WHERE repo_id = new.id;
  UPDATE dataset_checks SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  UPDATE rollouts SET model_owner_id = new.owner_id, model_is_public = new.visibility = 'public' WHERE model_repo_id = new.id;
  UPDATE episode_films SET owner_id = new.owner_id WHERE repo_id = new.id AND owner_id <> new.owner_id;
  RETURN NULL;
END $$;
