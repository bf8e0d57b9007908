-- CreateTable
CREATE TABLE "joint_maps" (
    "from_repo_id" TEXT NOT NULL,
    "to_repo_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "map" JSON NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reviewed_by" TEXT,
    "reviewed_at" TIMESTAMPTZ(3),

    CONSTRAINT "joint_maps_pkey" PRIMARY KEY ("from_repo_id","to_repo_id","version"),
    CONSTRAINT "joint_maps_bounds" CHECK (version >= 1 AND from_repo_id <> to_repo_id AND octet_length(map::text) <= 262144),
    CONSTRAINT "joint_maps_fingerprint_form" CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "joint_maps_reviewed_whole" CHECK (reviewed_by IS NULL OR reviewed_at IS NOT NULL)
);

-- CreateIndex
CREATE INDEX "joint_maps_to_repo_id_idx" ON "joint_maps"("to_repo_id");

-- AddForeignKey
ALTER TABLE "joint_maps" ADD CONSTRAINT "joint_maps_from_repo_id_fkey" FOREIGN KEY ("from_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "joint_maps" ADD CONSTRAINT "joint_maps_to_repo_id_fkey" FOREIGN KEY ("to_repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "joint_maps" ADD CONSTRAINT "joint_maps_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "joint_maps" ADD CONSTRAINT "joint_maps_reviewed_by_fkey" FOREIGN KEY ("reviewed_by") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
