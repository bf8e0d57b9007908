-- AlterTable
ALTER TABLE "idempotency_keys" ALTER COLUMN "result" SET DATA TYPE JSON;
