-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "environment" JSON;
