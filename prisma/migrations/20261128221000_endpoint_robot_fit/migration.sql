-- AlterTable
ALTER TABLE "approvals" ADD COLUMN     "joint_map" TEXT,
    ADD CONSTRAINT "approvals_joint_map_form" CHECK (joint_map ~ '^[0-9a-f]{64}$');

-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "policy_body" JSON,
    ADD CONSTRAINT "endpoints_policy_body_bounds" CHECK (octet_length(policy_body::text) <= 2097152);
