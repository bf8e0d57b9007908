-- The rows of run_measurements are means over the reports of all accounts, and nothing says whose they are: they move nowhere. The table stays for instances of
-- the version before, which write it until they are replaced.

-- CreateTable
CREATE TABLE "account_measurements" (
    "account_id" TEXT NOT NULL,
    "template" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "batch" INTEGER NOT NULL,
    "peak_vram_gb" DOUBLE PRECISION NOT NULL,
    "samples_per_s" DOUBLE PRECISION NOT NULL,
    "n_runs" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_measurements_pkey" PRIMARY KEY ("account_id","template","tier","batch")
);

-- CreateTable
CREATE TABLE "hub_measurements" (
    "template" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "batch" INTEGER NOT NULL,
    "peak_vram_gb" DOUBLE PRECISION NOT NULL,
    "samples_per_s" DOUBLE PRECISION NOT NULL,
    "n_runs" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hub_measurements_pkey" PRIMARY KEY ("template","tier","batch")
);

-- AddForeignKey
ALTER TABLE "account_measurements" ADD CONSTRAINT "account_measurements_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
