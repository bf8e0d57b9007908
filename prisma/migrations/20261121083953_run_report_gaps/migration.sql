-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "client_log_gaps" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
ADD COLUMN     "client_metrics_gaps" BIGINT[] DEFAULT ARRAY[]::BIGINT[];
