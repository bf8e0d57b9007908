-- AlterTable
ALTER TABLE "robot_checks" ADD COLUMN     "max_seconds" INTEGER;

-- CreateTable
CREATE TABLE "allowance_reservations" (
    "job_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "amount_usd" DECIMAL(14,4) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "allowance_reservations_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "allowance_reservations_account_id_idx" ON "allowance_reservations"("account_id");

-- CreateIndex
CREATE INDEX "ledger_account_id_at_idx" ON "ledger"("account_id", "at");

-- AddForeignKey
ALTER TABLE "allowance_reservations" ADD CONSTRAINT "allowance_reservations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Hosted checks that are there already get the default time limit.
UPDATE robot_checks SET max_seconds = 3600 WHERE executor = 'hosted';
-- References of checks that dispatch ended before their end released them.
DELETE FROM repo_references f USING robot_checks u
  WHERE f.referrer_id = u.id AND f.referrer_kind = 'robot_check' AND u.finished_at IS NOT NULL;
ALTER TABLE robot_checks
  ADD CONSTRAINT robot_checks_limited CHECK ((executor = 'hosted') = (max_seconds IS NOT NULL) AND max_seconds > 0);
ALTER TABLE allowance_reservations
  ADD CONSTRAINT allowance_reservations_counted CHECK (amount_usd >= 0);
-- What the sweep looks through for checks past their time limit.
CREATE INDEX robot_checks_running ON robot_checks (id) WHERE status = 'running' AND max_seconds IS NOT NULL;
