-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "barred_credential" TEXT,
ADD COLUMN     "barred_until" TIMESTAMPTZ(3),
ADD COLUMN     "hosted_credential" TEXT;

-- The newest key of a job is that of its call.
UPDATE "runs" u SET "hosted_credential" = (SELECT max(k."id") FROM "api_keys" k WHERE k."job_id" = u."id")
WHERE u."executor" = 'hosted' AND u."status" IN ('queued', 'running') AND u."hosted_call_id" IS NOT NULL;
