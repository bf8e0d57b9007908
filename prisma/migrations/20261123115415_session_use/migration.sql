-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "user_agent" TEXT;
