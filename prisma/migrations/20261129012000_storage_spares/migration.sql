-- CreateTable
CREATE TABLE "storage_spares" (
    "owner_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "storage_spares_pkey" PRIMARY KEY ("owner_id","run_id"),
    CONSTRAINT "storage_spares_bounds" CHECK (bytes >= 0)
);

-- AddForeignKey
ALTER TABLE "storage_spares" ADD CONSTRAINT "storage_spares_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
