-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "job_id" TEXT;
