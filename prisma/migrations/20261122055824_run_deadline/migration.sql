-- AlterEnum
ALTER TYPE "RunAttemptEnd" ADD VALUE 'stopped';

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "used_seconds" DECIMAL(14,3) NOT NULL DEFAULT 0;
