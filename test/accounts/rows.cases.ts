import { defineRows } from '../support/define-cases.ts'

const aLogin = (changes: string) =>
  `insert into device_logins (id, device_code_sha256, user_code, state, name, scope, key_ttl_s, expires_at, key_id)
   select 'x', '', l->>'code', (l->>'state')::"DeviceLoginState", 'x', 'read', (l->>'ttl')::int, now(), l->>'key'
   from (select jsonb '{"code":"BCDFGHJK","state":"pending","ttl":1}' || '${changes}' as l) given`

export const rows = defineRows({
  kept: () => ({
    passwords: `insert into passwords (account_id, hash)
      select id, '$scrypt$ln=17,r=8,p=1$' || repeat('A', 22) || '$' || repeat('A', 43) from accounts where kind = 'user' order by id limit 1`,
    sign_in_delays: `insert into sign_in_delays (subject_sha256, level) values (sha256('name'), 1)`,
    passkeys: `insert into passkeys (id, account_id, rp_id, credential_id, public_key, user_handle, transports, name, backed_up)
      select 'passkey_1', id, 'localhost', sha256('credential'), sha256('key'), sha256('user'), '{internal}', 'laptop', true
      from accounts where kind = 'user' order by id limit 1`,
    spent_challenges: `insert into spent_challenges (challenge_sha256, expires_at) values (sha256('challenge'), now())`,
    link_tokens: `insert into link_tokens (id, kind, token_sha256, account_id, expires_at)
      select 'link_1', 'reset', sha256('token'), id, now() + interval '1 hour' from accounts where kind = 'user' order by id limit 1`,
  }),
  refused: {
    device_logins_code_form: aLogin('{"code":"ABCDEFGH"}'),
    device_logins_decided_whole: aLogin('{"state":"denied"}'),
    device_logins_key_of_consumed: aLogin('{"key":"key_x"}'),
    device_logins_bounds: aLogin('{"ttl":0}'),
    passwords_hash_form: `insert into passwords (account_id, hash) values ('x', 'in plain words')`,
    passkeys_bounds: `insert into passkeys (id, account_id, rp_id, credential_id, public_key, user_handle, name, backed_up)
      values ('x', 'x', 'x', '', '', '', '', true)`,
    spent_challenges_form: `insert into spent_challenges (challenge_sha256, expires_at) values ('short', now())`,
    sign_in_delays_bounds: `insert into sign_in_delays (subject_sha256, level) values ('short', 1)`,
    link_tokens_of_kind: `insert into link_tokens (id, kind, token_sha256, expires_at) values ('x', 'reset', sha256('x'), now())`,
    accounts_handle_form: `insert into accounts (id, kind, handle) values ('x', 'user', 'Not-Lower')`,
    accounts_bytes_counted: `insert into accounts (id, kind, handle, storage_bytes) values ('x', 'user', 'x', -1)`,
    accounts_uploads_counted: `insert into accounts (id, kind, handle, pending_uploads) values ('x', 'user', 'x', -1)`,
    accounts_avatar_whole: `insert into accounts (id, kind, handle, avatar_bytes) values ('x', 'user', 'x', 1)`,
    accounts_email_form: `insert into accounts (id, kind, handle, email) values ('x', 'org', 'x', 'a@b')`,
    signing_keys_withdrawn_retired: `insert into signing_keys (kid, public_jwk, sealed_private, withdrawn_at) values ('x', '{}', '', now())`,
  },
})
