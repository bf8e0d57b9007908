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
    link_tokens: `insert into link_tokens (id, kind, token_sha256, account_id, expires_at)
      select 'link_1', 'reset', sha256('token'), id, now() + interval '1 hour' from accounts where kind = 'user' order by id limit 1`,
  }),
  refused: {
    device_logins_code_form: aLogin('{"code":"ABCDEFGH"}'),
    device_logins_decided_whole: aLogin('{"state":"denied"}'),
    device_logins_key_of_consumed: aLogin('{"key":"key_x"}'),
    device_logins_bounds: aLogin('{"ttl":0}'),
    passwords_hash_form: `insert into passwords (account_id, hash) values ('x', 'in plain words')`,
    sign_in_delays_bounds: `insert into sign_in_delays (subject_sha256, level) values ('short', 1)`,
    link_tokens_of_kind: `insert into link_tokens (id, kind, token_sha256, expires_at) values ('x', 'reset', sha256('x'), now())`,
    accounts_handle_form: `insert into accounts (id, kind, handle) values ('x', 'user', 'Not-Lower')`,
    accounts_bytes_counted: `insert into accounts (id, kind, handle, storage_bytes) values ('x', 'user', 'x', -1)`,
    accounts_uploads_counted: `insert into accounts (id, kind, handle, pending_uploads) values ('x', 'user', 'x', -1)`,
    signing_keys_withdrawn_retired: `insert into signing_keys (kid, public_jwk, sealed_private, withdrawn_at) values ('x', '{}', '', now())`,
  },
})
