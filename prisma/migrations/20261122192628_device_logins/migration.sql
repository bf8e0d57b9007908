-- CreateEnum
CREATE TYPE "DeviceLoginState" AS ENUM ('pending', 'approved', 'denied', 'consumed');

-- CreateTable
CREATE TABLE "device_logins" (
    "id" TEXT NOT NULL,
    "device_code_sha256" BYTEA NOT NULL,
    "user_code" TEXT NOT NULL,
    "state" "DeviceLoginState" NOT NULL DEFAULT 'pending',
    "name" TEXT NOT NULL,
    "scope" "KeyScope" NOT NULL,
    "key_ttl_s" INTEGER NOT NULL,
    "address" TEXT,
    "network" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "poll_s" INTEGER NOT NULL DEFAULT 5,
    "polled_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,
    "key_id" TEXT,

    CONSTRAINT "device_logins_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_code_misses" (
    "account_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "count" INTEGER NOT NULL,

    CONSTRAINT "user_code_misses_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "device_logins_device_code_sha256_key" ON "device_logins"("device_code_sha256");

-- CreateIndex
CREATE INDEX "device_logins_network_expires_at_idx" ON "device_logins"("network", "expires_at");

-- CreateIndex
CREATE INDEX "device_logins_expires_at_idx" ON "device_logins"("expires_at");

-- CreateIndex
CREATE INDEX "device_logins_decided_by_user_code_idx" ON "device_logins"("decided_by", "user_code");

-- AddForeignKey
ALTER TABLE "device_logins" ADD CONSTRAINT "device_logins_decided_by_fkey" FOREIGN KEY ("decided_by") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_code_misses" ADD CONSTRAINT "user_code_misses_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A code names one pending sign-in.
CREATE UNIQUE INDEX device_logins_pending ON device_logins (user_code) WHERE state = 'pending';

ALTER TABLE device_logins
  ADD CONSTRAINT device_logins_code_form CHECK (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
  ADD CONSTRAINT device_logins_decided_whole CHECK ((state = 'pending') = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  ADD CONSTRAINT device_logins_key_of_consumed CHECK ((state = 'consumed') = (key_id IS NOT NULL)),
  ADD CONSTRAINT device_logins_bounds CHECK (key_ttl_s > 0 AND poll_s > 0);
