-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "self_started" BOOLEAN NOT NULL DEFAULT false;

-- What claim-next reads: the runs that it may hand out.
DROP INDEX runs_waiting;
CREATE INDEX runs_waiting ON runs (owner_id, id) WHERE status = 'queued' AND executor = 'worker' AND NOT self_started;
