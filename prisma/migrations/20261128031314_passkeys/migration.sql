-- CreateTable
CREATE TABLE "passkeys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "rp_id" TEXT NOT NULL,
    "credential_id" BYTEA NOT NULL,
    "public_key" BYTEA NOT NULL,
    "user_handle" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,
    "transports" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "name" TEXT NOT NULL,
    "backed_up" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spent_challenges" (
    "challenge_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "spent_challenges_pkey" PRIMARY KEY ("challenge_sha256")
);

-- CreateIndex
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");

-- CreateIndex
CREATE INDEX "passkeys_account_id_id_idx" ON "passkeys"("account_id", "id");

-- CreateIndex
CREATE INDEX "spent_challenges_expires_at_idx" ON "spent_challenges"("expires_at");

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddConstraint: 1,023 bytes is the most that WebAuthn allows a credential's id; the counter has 32 bits.
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_bounds" CHECK (
    octet_length(credential_id) BETWEEN 1 AND 1023
    AND octet_length(public_key) BETWEEN 1 AND 2048
    AND octet_length(user_handle) = 32
    AND counter BETWEEN 0 AND 4294967295
    AND cardinality(transports) <= 10
    AND char_length(name) BETWEEN 1 AND 100
);

-- AddConstraint
ALTER TABLE "spent_challenges" ADD CONSTRAINT "spent_challenges_form" CHECK (octet_length(challenge_sha256) = 32);
