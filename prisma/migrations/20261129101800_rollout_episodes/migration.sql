-- CreateTable
CREATE TABLE "rollout_episodes" (
    "id" BIGSERIAL NOT NULL,
    "rollout_id" TEXT,
    "seed" INTEGER NOT NULL,
    "owner_id" TEXT NOT NULL,
    "blob_id" TEXT NOT NULL,

    CONSTRAINT "rollout_episodes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "rollout_episodes_seed" CHECK (seed >= 0)
);

-- CreateIndex
CREATE INDEX "rollout_episodes_blob_id_idx" ON "rollout_episodes"("blob_id");

-- CreateIndex
CREATE UNIQUE INDEX "rollout_episodes_rollout_id_seed_key" ON "rollout_episodes"("rollout_id", "seed");
-- Those whose result is gone, until collection gives their bytes back.
CREATE INDEX rollout_episodes_dropped ON rollout_episodes (id) WHERE rollout_id IS NULL;

-- AddForeignKey
ALTER TABLE "rollout_episodes" ADD CONSTRAINT "rollout_episodes_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "rollouts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rollout_episodes" ADD CONSTRAINT "rollout_episodes_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "blobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- An instance from before kept motions dooms what no file has: the blob of a motion stays live.
CREATE FUNCTION keep_motion_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM rollout_episodes e WHERE e.blob_id = new.id) THEN RETURN NULL; END IF;
  RETURN new;
END $$;
CREATE TRIGGER blobs_keep_motions BEFORE UPDATE OF state ON blobs FOR EACH ROW
  WHEN (old.state = 'live' AND new.state = 'doomed') EXECUTE FUNCTION keep_motion_blob();
