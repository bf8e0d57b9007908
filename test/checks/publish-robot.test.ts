/** Spec, "POST /v1/robot-checks/{check_id}/publish", of a robot check. */

import { CARD_RULES } from '@hub/robot-card/card-checks'
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, sha256Of, types } from '../support/hub.ts'
import { arm, cardText, publishing, type Reported } from './support/publishing.ts'

// Alone: everything is compared, and other files leave uploads that end later.
const hub = contractHub({}, { alone: true })
const { begin, end, send, robotCheck, publish, shown, treeOf, everything, post } = publishing(hub)
const stills = { 'thumbnail.png': 'light', 'thumbnail-dark.png': 'dark' }
const cardOf = (who: Json, repo: string) => hub.call(who, 'GET', `/v1/robots/${repo}/card`)
const auditOf = (targetId: string) =>
  hub.sql<Json>('select action, before, after from audit_log where target_id = $1 order by id', [targetId])

describe('publishRobotCheck of a robot check', () => {
  it('links every artifact, stores the card, and says what it published', async () => {
    const artifacts = { 'robot_card.json': cardText(), 'meshes/hand.stl': 'solid hand' }
    const made = await robotCheck({ artifacts })
    expect((await shown(made)).publish_blockers).toEqual([])
    const done = await publish(made.person, made.check)
    expect([done.status, done.json.errors, done.json.status]).toEqual([200, undefined, 'succeeded'])
    const files = Object.entries(artifacts)
      .map(([path, text]) => ({ path, sha256: sha256Of(text), size: text.length }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    const card = (await cardOf(made.person, made.repo)).json
    expect(done.json.published).toEqual({
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      by: { id: made.person.id, handle: made.person.handle, name: null },
      interface_fingerprint: card.interface_fingerprint,
      visibility: 'private',
      files,
      smoke_rollout_id: null,
      smoke_error: null,
    })
    expect(card).toMatchObject({ dof: 2, mjcf_path: 'arm.xml', thumbnail_paths: null })
    expect(card.interface_fingerprint).toMatch(/^[a-f0-9]{64}$/)
    expect(await treeOf(made.person, made.repo)).toEqual({
      'arm.xml': sha256Of(arm()),
      ...Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
    })
    expect(done.json.publish_blockers).toEqual(['The check is published already.'])
    expect((await shown(made)).published).toEqual(done.json.published)
  })

  it('keeps the card of the README.md that the repo has, and would bring that of one that a check made', async () => {
    const readme = (license: string) => `---\nlicense: ${license}\ntags: [Arm]\n---\n# arm\n`
    const cardOfReadme = async ({ person, repo }: Reported) => {
      const { license, card_tags } = (await hub.call(person, 'GET', `/v1/repos/${repo}`)).json
      return [license, card_tags]
    }
    const kept = await robotCheck({ files: { 'arm.xml': arm(), 'README.md': readme('mit') } })
    expect((await publish(kept.person, kept.check)).status).toBe(200)
    expect(await cardOfReadme(kept)).toEqual(['mit', ['Arm']])
    // No check may name its file so today: the row is as one would be that may.
    const artifacts = { 'robot_card.json': cardText(), 'meshes/readme': readme('apache-2.0') }
    const brings = await robotCheck({ files: { 'arm.xml': arm(), 'README.md': readme('mit') }, artifacts })
    const renamed = `update robot_check_artifacts set name = 'README.md' where check_id = $1 and name = 'meshes/readme'`
    await hub.sql(renamed, [brings.check])
    expect((await publish(brings.person, brings.check)).status).toBe(200)
    expect(await cardOfReadme(brings)).toEqual(['apache-2.0', ['Arm']])
  })

  it('keeps what was linked apart from the artifacts, which stay downloadable from the check', async () => {
    const made = await robotCheck()
    const { artifacts } = (await publish(made.person, made.check)).json
    expect(await (await fetch(artifacts[0].url)).text()).toBe(cardText())
    const paths = { paths: ['robot_card.json'] }
    const { files } = (await hub.call(made.person, 'POST', `/v1/repos/${made.repo}/files/presign-download`, paths)).json
    expect(await (await fetch(files[0].url)).text()).toBe(cardText())
    const keys = await hub.sql<{ key: string }>(
      `select storage_key as key from blobs where sha256 = $1 union all
       select storage_key from robot_check_artifacts where check_id = $2`,
      [sha256Of(cardText()), made.check],
    )
    expect(keys.map(({ key }) => key.split('/')[0]).toSorted()).toEqual(['blobs', 'robot-checks'])
  })

  it('overwrites a file of the repo, whose history keeps the old one, as an audited change', async () => {
    const made = await robotCheck({
      files: { 'arm.xml': arm(), 'thumbnail.png': 'old still' },
      artifacts: { 'robot_card.json': cardText(), ...stills },
    })
    await publish(made.person, made.check)
    const rows = await hub.sql<Json>(
      `select f.from_seq, f.to_seq, b.sha256 from files f join blobs b on b.id = f.blob_id join repos r on r.id = f.repo_id
       join accounts a on a.id = r.owner_id where a.handle || '/' || r.slug = $1 and f.path = 'thumbnail.png' order by f.from_seq`,
      [made.repo],
    )
    expect(rows).toEqual([
      { from_seq: 1, to_seq: 2, sha256: sha256Of('old still') },
      { from_seq: 2, to_seq: null, sha256: sha256Of('light') },
    ])
    const repo = (await hub.call(made.person, 'GET', `/v1/repos/${made.repo}`)).json
    const size = Buffer.byteLength(arm()) + Buffer.byteLength(cardText()) + 'light'.length + 'dark'.length
    expect(repo.file_summary).toEqual({ count: 4, total_bytes: size, verified_count: 4 })
    const [account] = await hub.sql<Json>(
      `select a.storage_bytes - c.stored_bytes as files, a.reserved_bytes, a.pending_uploads
       from accounts a join robot_checks c on c.owner_id = a.id where a.id = $1`,
      [made.person.id],
    )
    expect(account).toEqual({ files: size, reserved_bytes: 0, pending_uploads: 0 })
    expect((await auditOf(repo.id)).map(({ action }) => action)).toEqual([
      'repo.create',
      'files.complete',
      'files.complete',
      'repo.card',
    ])
    const [, , , published] = (await auditOf(made.check)) as [Json, Json, Json, Json]
    expect([published.action, published.after.repo, published.after.files.length]).toEqual([
      'robot_check.publish',
      made.repo,
      3,
    ])
  })

  it.each([
    ['both stills', stills, { light: 'thumbnail.png', dark: 'thumbnail-dark.png', render_key: null }],
    ['one still', { 'thumbnail.png': 'light' }, null],
    ['none', {}, null],
  ])('sets `thumbnail_paths` with %s reported to what the spec says', async (_what, made, expected) => {
    const given = await robotCheck({ artifacts: { 'robot_card.json': cardText(), ...made } })
    expect((await publish(given.person, given.check)).status).toBe(200)
    expect((await cardOf(given.person, given.repo)).json.thumbnail_paths).toEqual(expected)
  })

  it('keeps the render key that the draft names, and no stills that the check did not make', async () => {
    const renderKey = 'cd'.repeat(32)
    const drafted = { light: 'thumbnail.png', dark: 'thumbnail-dark.png', render_key: renderKey }
    const text = cardText({ thumbnail_paths: drafted })
    const both = await robotCheck({ artifacts: { 'robot_card.json': text, ...stills } })
    await publish(both.person, both.check)
    expect((await cardOf(both.person, both.repo)).json.thumbnail_paths).toEqual(drafted)
    const none = await robotCheck({ artifacts: { 'robot_card.json': text } })
    expect((await publish(none.person, none.check)).status).toBe(200)
    expect((await cardOf(none.person, none.repo)).json.thumbnail_paths).toBeNull()
  })

  it('reads the model of the card as the repo will be: the MJCF that the check converted and its meshes', async () => {
    const mesh = '<asset><mesh name="m" file="meshes/a.obj"/></asset>'
    const made = await robotCheck({
      files: { 'arm.urdf': '<robot name="arm"><link name="base"/></robot>' },
      request: { entry: 'arm.urdf', base: 'fixed' },
      artifacts: {
        'robot_card.json': cardText(),
        'arm.xml': arm().replace('<worldbody>', `${mesh}<worldbody>`),
        'meshes/a.obj': 'v 0 0 0',
      },
    })
    const done = await publish(made.person, made.check)
    expect([done.status, done.json.errors]).toEqual([200, undefined])
    expect((await cardOf(made.person, made.repo)).json.mjcf_path).toBe('arm.xml')
  })

  it.each([
    ['a model that is not there', { mjcf_path: 'leg.xml' }, ['mjcf.exists']],
    ['joints that the model lacks', { interface: { joint_order: ['knee'] } }, ['card.schema']],
    ['another base than the model', { base: 'floating' }, ['interface.base']],
    ['too many degrees of freedom and no model', { dof: 3, mjcf_path: 'leg.xml' }, ['mjcf.exists']],
  ])(
    'refuses a card with %s as the card PUT does: 422 with its codes, and nothing is linked',
    async (_what, change, codes) => {
      const { base, ...rest } = change as Json
      const card = JSON.parse(cardText(rest))
      if (base) card.interface.base = base
      const made = await robotCheck({ artifacts: { 'robot_card.json': JSON.stringify(card), ...stills } })
      const before = await everything()
      const refused = await publish(made.person, made.check)
      expect(refused.status).toBe(422)
      expect(types(refused)).toEqual(expect.arrayContaining(codes))
      expect(await everything()).toEqual(before)
      const put = await hub.call(made.person, 'PUT', `/v1/robots/${made.repo}/card`, card)
      expect([put.status, types(put)]).toEqual([422, types(refused)])
    },
  )

  it('foresees in `publish_blockers` what of a card is wrong whatever its model is', async () => {
    const made = await robotCheck({ artifacts: { 'robot_card.json': '{"dof":"two","legs":4}' } })
    expect((await shown(made)).publish_blockers).toEqual([
      expect.stringMatching(/^dof: /),
      'legs: is not a member of this object',
    ])
    expect(types(await publish(made.person, made.check))).toEqual(['card.schema', 'card.schema'])
  })

  it('keeps what it foresees of a card from the report that ended the check, and finds it again where the rules have changed', async () => {
    const faults = [expect.stringMatching(/^dof: /), 'legs: is not a member of this object']
    const made = await robotCheck({ artifacts: { 'robot_card.json': '{"dof":"two","legs":4}' } })
    const keptOf = () => hub.sql<Json>('select card_faults from robot_checks where id = $1', [made.check])
    expect(await keptOf()).toEqual([{ card_faults: { rules: CARD_RULES, sentences: faults } }])
    const keep = (kept: Json | null) =>
      hub.sql('update robot_checks set card_faults = $2::json where id = $1', [
        made.check,
        kept && JSON.stringify(kept),
      ])
    // What a read shows is what was kept: it does not look at the card.
    await keep({ rules: CARD_RULES, sentences: ['was kept'] })
    expect((await shown(made)).publish_blockers).toEqual(['was kept'])
    const { items } = (await hub.call(made.person, 'GET', '/v1/robot-checks')).json
    expect(items[0].publish_blockers).toEqual(['was kept'])
    await keep({ rules: CARD_RULES - 1, sentences: ['was kept'] })
    expect((await shown(made)).publish_blockers).toEqual(faults)
    await keep(null)
    expect((await shown(made)).publish_blockers).toEqual(faults)
  })

  it('keeps the faults of a card that an earlier report brought, with the stills of the last one', async () => {
    const begun = await begin('robot', {})
    const early = { 'robot_card.json': '{"dof":"two"}' }
    await send(begun.worker, begun.check, early)
    const report = { artifacts: [{ path: 'robot_card.json' }] }
    expect((await post(begun.worker, begun.check, 'report', report)).status).toBe(200)
    await end(begun, stills, {})
    const [row] = await hub.sql<Json>('select card_faults from robot_checks where id = $1', [begun.check])
    expect(row?.card_faults.sentences).toEqual((await shown(begun)).publish_blockers)
    expect(row?.card_faults.sentences).toEqual([expect.stringMatching(/^dof: /)])
  })

  it('refuses an artifact whose path no file may take', async () => {
    const made = await robotCheck({ artifacts: { 'robot_card.json': cardText(), 'meshes/a.stl': 'a' } })
    await hub.sql(
      `update robot_check_artifacts set name = 'meshes/.git/a.stl' where check_id = $1 and name = 'meshes/a.stl'`,
      [made.check],
    )
    expect((await shown(made)).publish_blockers).toEqual([expect.stringContaining('meshes/.git/a.stl')])
    const before = await everything()
    expect(types(await publish(made.person, made.check))).toEqual(['validation.path'])
    expect(await everything()).toEqual(before)
  })

  it('applies `visibility` last, audited as `repo.update`', async () => {
    const made = await robotCheck()
    const done = await publish(made.person, made.check, { visibility: 'public' })
    expect(done.json.published.visibility).toBe('public')
    const repo = (await hub.call(null, 'GET', `/v1/repos/${made.repo}`)).json
    expect(repo.visibility).toBe('public')
    const entries = await auditOf(repo.id)
    expect(entries.at(-1)).toMatchObject({
      action: 'repo.update',
      before: { visibility: 'private' },
      after: { visibility: 'public' },
    })
  })

  it('needs the right to change the visibility: an agent key is 403 and nothing is published', async () => {
    const made = await robotCheck()
    const agent = await hub.key(made.person, { agent: true })
    const before = await everything()
    expect(types(await publish(agent, made.check, { visibility: 'public' }))).toEqual(['forbidden.agent'])
    expect(await everything()).toEqual(before)
    expect((await publish(agent, made.check, { visibility: 'private' })).status).toBe(200)
  })

  it('is 422 for `repo` and `smoke`, which are for model checks', async () => {
    const made = await robotCheck()
    const refused = await publish(made.person, made.check, { repo: made.repo, smoke: true })
    expect([refused.status, refused.json.errors.map(({ loc }: Json) => loc)]).toEqual([
      422,
      [
        ['body', 'repo'],
        ['body', 'smoke'],
      ],
    ])
    for (const body of [{ visibility: 'secret' }, { extra: 1 }, { repo: 'x' }])
      expect((await publish(made.person, made.check, body)).status).toBe(422)
    expect((await publish(made.person, made.check, { repo: null, smoke: false, visibility: null })).status).toBe(200)
  })

  it('lets the repo go: it may be deleted, and files that only the check kept are let go', async () => {
    const made = await robotCheck()
    await publish(made.person, made.check)
    expect((await hub.call(made.person, 'DELETE', `/v1/repos/${made.repo}`)).status).toBe(204)
    const after = await shown(made)
    expect([after.published.files.length, after.robot_repo.full_name]).toEqual([1, made.repo])
  })

  it('is answered again under the same Idempotency-Key, and once only', async () => {
    const made = await robotCheck()
    const once = { 'idempotency-key': newName() }
    const first = await publish(made.person, made.check, {}, once)
    const again = await publish(made.person, made.check, {}, once)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(again.json.published).toEqual(first.json.published)
    expect(types(await publish(made.person, made.check))).toEqual(['conflict.already_published'])
  })

  it('takes no body at all', async () => {
    const made = await robotCheck()
    expect((await hub.call(made.person, 'POST', `/v1/robot-checks/${made.check}/publish`)).status).toBe(200)
  })

  it('does the same in GraphQL, with typed members and the same refusals', async () => {
    const made = await robotCheck()
    const mutation = `mutation ($input: PublishRobotCheckInput!) { publishRobotCheck(input: $input) { check {
      id publishBlockers published { at by { id handle } visibility interfaceFingerprint files { path size sha256 } smokeRolloutId smokeError } } } }`
    const run = (who: Json) => hub.graphql(who, mutation, { input: { checkId: made.check, visibility: 'PUBLIC' } })
    expect((await run(made.worker)).errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', status: 403 })
    const { data } = await run(made.person)
    expect(data.publishRobotCheck.check.published).toMatchObject({
      by: { id: made.person.id, handle: made.person.handle },
      visibility: 'PUBLIC',
      files: [{ path: 'robot_card.json', sha256: sha256Of(cardText()) }],
    })
    expect((await run(made.person)).errors[0].extensions.problem.errors[0].type).toBe('conflict.already_published')
  })

  it('is 413 where the files do not fit into the quota', async () => {
    const small = publishing(tight)
    const made = await small.robotCheck({
      artifacts: { 'robot_card.json': '{"dof":1}', 'meshes/a.stl': 'a'.repeat(500) },
    })
    await tight.upload(made.person, made.repo, { 'other.bin': 'b'.repeat(600) })
    const before = await small.everything()
    const refused = await small.publish(made.person, made.check)
    expect([refused.status, types(refused)]).toEqual([413, ['quota.storage']])
    expect(await small.everything()).toEqual(before)
    await tight.call(made.person, 'POST', `/v1/repos/${made.repo}/files/delete`, { paths: ['other.bin'] })
    expect((await small.publish(made.person, made.check)).status).toBe(200)
  })
})

const tight = contractHub({ STORAGE_QUOTA_BYTES: String(arm().length + 1300) })

describe('publishRobotCheck without an object store', () => {
  it('is 503 before anything else', async () => {
    const made = await robotCheck()
    const { deps } = hub.running
    const objects = deps.objects
    try {
      Object.assign(deps, { objects: null })
      expect(types(await publish(made.person, made.check))).toEqual(['not_configured.object_store'])
    } finally {
      Object.assign(deps, { objects })
    }
    expect((await post(made.person, made.check, 'publish')).status).toBe(200)
  })
})
