/** Publishing on the S3 store: server-side copies, bytes that changed, a hub that dies between copy and link. */

import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { abortAbandoned, deleteDoomed } from '../../src/jobs/collect-objects.ts'
import { startCeph } from '../support/ceph.ts'
import { contractHub, sha256Of, types } from '../support/hub.ts'
import { arm, cardText, publishing, type Reported } from './support/publishing.ts'

const ceph = await startCeph()

if ('skipped' in ceph) {
  describe('publishing on the S3 store', needs(ceph.skipped), () => {
    it('is as on the disk store', () => undefined)
  })
} else {
  const { settings } = ceph
  const hub = contractHub({
    OBJECT_STORE: 's3',
    S3_ENDPOINT: settings.endpoint ?? '',
    S3_REGION: settings.region,
    S3_BUCKET: settings.bucket,
    S3_ACCESS_KEY_ID: settings.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: settings.secretAccessKey ?? '',
    S3_FORCE_PATH_STYLE: 'true',
  })
  const { robotCheck, modelCheck, publish, treeOf } = publishing(hub)
  const stills = { 'thumbnail.png': 'light', 'thumbnail-dark.png': 'dark' }
  const store = () => {
    const { objects } = hub.running.deps
    if (!objects) throw new Error('This hub has a store.')
    return objects
  }
  /** Keys of what was copied for a check, and whether the store has them. The bucket is shared with other tests. */
  async function copiesOf({ check }: Reported): Promise<boolean[]> {
    const rows = await hub.sql<{ key: string }>('select storage_key as key from uploads where account_id = $1', [check])
    return Promise.all(rows.map(async ({ key }) => (await store().head(key)) !== null))
  }

  describe('publishing on the S3 store', () => {
    it('links files with the bytes of the artifacts, and stores the card', async () => {
      const made = await robotCheck({ artifacts: { 'robot_card.json': cardText(), ...stills } })
      const done = await publish(made.person, made.check)
      expect([done.status, done.json.errors]).toEqual([200, undefined])
      expect(await treeOf(made.person, made.repo)).toEqual({
        'arm.xml': sha256Of(arm()),
        'robot_card.json': sha256Of(cardText()),
        'thumbnail.png': sha256Of('light'),
        'thumbnail-dark.png': sha256Of('dark'),
      })
      const paths = { paths: ['thumbnail.png'] }
      const { files } = (await hub.call(made.person, 'POST', `/v1/repos/${made.repo}/files/presign-download`, paths))
        .json
      expect(await (await fetch(files[0].url)).text()).toBe('light')
      expect(await (await fetch(done.json.artifacts.at(-1).url)).text()).toBe('light')
      const card = await hub.call(made.person, 'GET', `/v1/robots/${made.repo}/card`)
      expect(card.json.thumbnail_paths).toMatchObject({ light: 'thumbnail.png' })
    })

    it('publishes a model into a repo that it makes', async () => {
      const made = await modelCheck({
        artifacts: { 'manifest.json': '{}', 'policy/empty.bin': '', 'policy/w.bin': 'w' },
      })
      const repo = `${made.person.handle}/made`
      expect((await publish(made.person, made.check, { repo })).status).toBe(200)
      expect(Object.keys(await treeOf(made.person, repo))).toHaveLength(3)
    })

    it('is 409 for bytes that changed or are gone, and leaves no copy', async () => {
      const made = await robotCheck({ artifacts: { 'robot_card.json': cardText(), ...stills } })
      const rows = await hub.sql<{ name: string; key: string }>(
        'select name, storage_key as key from robot_check_artifacts where check_id = $1 order by name',
        [made.check],
      )
      const keyOf = (name: string) => rows.find((row) => row.name === name)?.key ?? ''
      await store().put(keyOf('thumbnail.png'), Buffer.from('LIGHT'), { sizeBytes: 5 })
      await store().delete([keyOf('thumbnail-dark.png')])
      const refused = await publish(made.person, made.check)
      expect([refused.status, types(refused)]).toEqual([
        409,
        ['conflict.artifact_changed', 'conflict.artifact_changed'],
      ])
      expect(await copiesOf(made)).toEqual([false, false, false])
      expect(Object.keys(await treeOf(made.person, made.repo))).toEqual(['arm.xml'])
    })

    it('leaves nothing linked when the hub dies between copy and link, and collects the copies', async () => {
      const made = await robotCheck({ artifacts: { 'robot_card.json': cardText(), ...stills } })
      const { deps } = hub.running
      const { db, objects } = deps
      let copied = 0
      const real = store()
      const counting = {
        ...real,
        copy: async (from: string, to: string) => {
          const copy = await real.copy(from, to)
          copied += 1
          return copy
        },
      }
      const dead = {
        ...db,
        withTx: (...args: Parameters<typeof db.withTx>) =>
          copied === 3 ? Promise.reject(new Error('gone')) : db.withTx(...args),
      }
      Object.assign(deps, { db: dead, objects: counting })
      try {
        expect((await publish(made.person, made.check)).status).toBe(500)
      } finally {
        Object.assign(deps, { db, objects })
      }
      expect(await copiesOf(made)).toEqual([true, true, true])
      expect(Object.keys(await treeOf(made.person, made.repo))).toEqual(['arm.xml'])
      await hub.sql(
        `update uploads set touched_at = touched_at - interval '8 days', attempt_at = attempt_at - interval '8 days' where account_id = $1`,
        [made.check],
      )
      const { signal } = new AbortController()
      await abortAbandoned(deps, store(), signal)
      await hub.sql(`update blobs set doomed_at = doomed_at - interval '8 days' where doomed_at is not null`)
      await deleteDoomed(deps, store(), signal)
      expect(await copiesOf(made)).toEqual([false, false, false])
      expect((await publish(made.person, made.check)).status).toBe(200)
    })
  })
}
