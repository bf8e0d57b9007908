-- CreateEnum
CREATE TYPE "DatasetCheckCause" AS ENUM ('commit', 'person');

-- CreateTable
CREATE TABLE "dataset_checks" (
    "repo_id" TEXT NOT NULL,
    "status" "JobStatus" NOT NULL,
    "cause" "DatasetCheckCause" NOT NULL,
    "seq" INTEGER NOT NULL,
    "again" BOOLEAN NOT NULL DEFAULT false,
    "requested_by" TEXT,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "worker" TEXT,
    "claim_credential" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lost" INTEGER NOT NULL DEFAULT 0,
    "lease_expires_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "episodes_done" INTEGER NOT NULL DEFAULT 0,
    "episodes_total" INTEGER,
    "error" TEXT,
    "report" JSON,
    "report_seq" INTEGER,
    "report_at" TIMESTAMPTZ(3),
    "counted_since" TIMESTAMPTZ(3),
    "counted" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "dataset_checks_pkey" PRIMARY KEY ("repo_id"),
    CONSTRAINT "dataset_checks_counted" CHECK (seq >= 0 AND attempt >= 0 AND lost >= 0 AND counted >= 0 AND episodes_done >= 0 AND (episodes_total IS NULL OR episodes_total >= 0)),
    CONSTRAINT "dataset_checks_claimed_whole" CHECK ((status = 'running') = (claim_credential IS NOT NULL) AND (status = 'running') = (lease_expires_at IS NOT NULL)),
    CONSTRAINT "dataset_checks_ended" CHECK (status <> 'canceled' AND (status <> 'failed' OR error IS NOT NULL)),
    CONSTRAINT "dataset_checks_reported_whole" CHECK ((report IS NULL) = (report_seq IS NULL) AND (report IS NULL) = (report_at IS NULL)),
    CONSTRAINT "dataset_checks_report_size" CHECK (octet_length(report::text) <= 1048576)
);

-- AddForeignKey
ALTER TABLE "dataset_checks" ADD CONSTRAINT "dataset_checks_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repos"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_checks" ADD CONSTRAINT "dataset_checks_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What a worker may take: a few rows, whatever the number of data sets.
CREATE INDEX "dataset_checks_open" ON "dataset_checks"("requested_at", "repo_id") WHERE status IN ('queued', 'running');
