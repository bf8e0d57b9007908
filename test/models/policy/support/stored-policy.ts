/** Policies in an object store are read by range: what they declare, and how large they are, without their weights. */
import { randomBytes } from 'node:crypto'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { externalWeight, field, onnx, safetensors } from '../../../../packages/formats/test/policy/policy-files.ts'
import { readStoredPolicy } from '../../../../src/models/stored-policy/read-stored-policy.ts'
import type { StoredFile } from '../../../../src/models/stored-policy/stored-file.ts'
import type { Db } from '../../../../src/store/db.ts'
import type { ObjectStore } from '../../../../src/store/objects/object-store.ts'

/** Asked only what a missing object was, and none is missing here. */
const noDb = null as unknown as Db
const never = new AbortController().signal

/** Runs the suite against a store that `open` starts. `patient`: with a reading of 2,000 requests, too. */
export function storedPolicySuite(
  title: string,
  patient: boolean,
  open: () => Promise<{ readonly store: ObjectStore; readonly close: () => Promise<void> }>,
): void {
  describe(`a policy in ${title}`, () => {
    let store: ObjectStore
    let close = async () => {}
    const prefix = `test-${randomBytes(6).toString('hex')}`
    /** Of all requests since the last reading began. */
    let [requests, bytesAsked] = [0, 0]
    let counting: ObjectStore
    beforeAll(async () => {
      const opened = await open()
      store = opened.store
      close = opened.close
      counting = Object.create(store, {
        get: {
          value: (key: string, options: Parameters<ObjectStore['get']>[1]) => {
            const { start, end } = options?.range ?? {}
            requests += 1
            bytesAsked += start === undefined || end === undefined ? Number.POSITIVE_INFINITY : end - start + 1
            return store.get(key, options)
          },
        },
      })
    })
    afterAll(() => close())

    let count = 0
    const stored = async (files: Readonly<Record<string, Buffer | object>>): Promise<StoredFile[]> => {
      const all: StoredFile[] = []
      for (const [path, content] of Object.entries(files)) {
        const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
        count += 1
        const storageKey = `${prefix}/${count}`
        await store.put(storageKey, bytes, { sizeBytes: bytes.length })
        all.push({ path, storageKey, sizeBytes: bytes.length, sha256: null })
      }
      return all
    }
    const read = async (
      kind: 'onnx' | 'checkpoint',
      path: string,
      files: Readonly<Record<string, Buffer | object>>,
      signal = never,
    ) => {
      const input = { kind, path, files: await stored(files) }
      requests = 0
      bytesAsked = 0
      return await readStoredPolicy({ db: noDb, objects: counting }, input, signal)
    }
    const fingerprint = 'a'.repeat(64)

    it('is read from the contract file beside an ONNX, before the metadata of the model', async () => {
      const files = {
        'policy.onnx': onnx({ metadata: { control_class: 'reflex', params: '7', policy_type: 'act' } }),
        'contract.json': { control_class: 'skill', params: 1_000_000, contract_fingerprint: fingerprint },
      }
      expect(await read('onnx', 'policy.onnx', files)).toEqual({
        broken: null,
        params: 1_000_000,
        controlClass: 'skill',
        contractFingerprint: fingerprint,
        contract: null,
        policyFormat: null,
        policyType: 'act',
        outside: [],
        faults: [],
      })
      expect(requests).toBe(2)
    })

    it('is read from the metadata where no contract file is beside it', async () => {
      const files = { 'deep/policy.onnx': onnx({ metadata: { control_class: 'planner', params: '7' } }) }
      expect(await read('onnx', 'deep/policy.onnx', files)).toMatchObject({ params: 7, controlClass: 'planner' })
    })

    it('has the params of its initializers where none are declared, with one request for each large weight', async () => {
      const weightBytes = 256 * 1024
      const weights = Array.from({ length: 20 }, (_, index) => [
        field(1, weightBytes / 4),
        field(2, 1),
        field(8, `w${index}`),
        field(9, Buffer.alloc(weightBytes)),
      ])
      expect(await read('onnx', 'policy.onnx', { 'policy.onnx': onnx({ weights }) })).toMatchObject({
        params: (20 * weightBytes) / 4,
        faults: [],
      })
      expect(requests).toBeLessThan(30)
      expect(bytesAsked).toBeLessThan(30 * 16 * 1024)
    })

    it('names the files in which an ONNX keeps weights, whatever it declares', async () => {
      const model = onnx({ weights: [externalWeight('w.data')], metadata: { params: '7' } })
      expect(await read('onnx', 'policy.onnx', { 'policy.onnx': model })).toMatchObject({
        params: 7,
        outside: ['w.data'],
      })
    })

    it('of a checkpoint has the params of its manifest, and no other request', async () => {
      const manifest = { policy_format: 'vla-lib', policy_type: 'vla', control_class: 'skill', params: 5 }
      const files = { 'm/manifest.json': manifest, 'm/policy/model.safetensors': safetensors({ w: [9] }) }
      expect(await read('checkpoint', 'm', files)).toMatchObject({
        broken: null,
        params: 5,
        controlClass: 'skill',
        policyFormat: 'vla-lib',
        policyType: 'vla',
      })
      expect(requests).toBe(1)
    })

    it('of a checkpoint without them sums the headers of its safetensors files', async () => {
      const files = {
        'manifest.json': { policy_format: 'vla-lib' },
        'policy/model-1.safetensors': safetensors({ a: [300, 1000], b: [3] }),
        'policy/model-2.safetensors': safetensors({ c: [1000, 1000] }),
        'policy/config.json': {},
      }
      expect((await read('checkpoint', '', files)).params).toBe(1_300_003)
      expect(requests).toBe(3)
      expect(bytesAsked).toBeLessThan(64 * 1024)
    })

    it.each<[string, Readonly<Record<string, Buffer | object>>, RegExp]>([
      ['is no JSON', { 'manifest.json': Buffer.from('{') }, /manifest.json is not JSON/],
      ['is missing', {}, /no manifest.json/],
      ['is too large', { 'manifest.json': Buffer.alloc(1024 * 1024 + 1, 32) }, /over 1 MiB/],
    ])('is no checkpoint if its manifest %s', async (_, files, reason) => {
      const policy = await read('checkpoint', '', { 'policy/w.bin': Buffer.from('w'), ...files })
      expect(policy).toMatchObject({ broken: expect.stringMatching(reason), params: null, controlClass: null })
    })

    it('names declarations that cannot be used', async () => {
      const files = {
        'manifest.json': { control_class: 'fast', params: -1 },
        'policy/w.bin': Buffer.from('w'),
      }
      const { params, controlClass, faults } = await read('checkpoint', '', files)
      expect({ params, controlClass }).toEqual({ params: null, controlClass: null })
      expect(faults).toEqual([
        expect.stringContaining('control_class must be'),
        expect.stringContaining('params must be'),
        expect.stringContaining('No file of its weights'),
      ])
    })

    it('is not an ONNX policy if its bytes are none, and costs little to refuse', async () => {
      expect((await read('onnx', 'a.onnx', { 'a.onnx': Buffer.alloc(5_000_000, 0xff) })).broken).toMatch(
        /middle of a number/,
      )
      expect(requests).toBe(1)
    })

    const impatient = !patient && 'the same with 2,000 requests is tried on the disk store'
    it('has no count if its description is spread over too many places', needs(impatient), async () => {
      const weight = Buffer.concat([field(1, 5_000), field(2, 1), field(8, 'w'), field(9, Buffer.alloc(20_000))])
      const weights = Array.from({ length: 2_100 }, () => [weight])
      const { params, faults } = await read('onnx', 'a.onnx', { 'a.onnx': onnx({ weights }) })
      expect(params).toBeNull()
      expect(faults).toEqual([expect.stringContaining('more than 2000 reads')])
      expect(requests).toBe(2_000)
    })

    it('ends with the reason of its signal', async () => {
      const files = { 'a.onnx': onnx() }
      await expect(read('onnx', 'a.onnx', files, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    })

    it('is 503 while the object is out of reach', async () => {
      await expect(
        readStoredPolicy({ db: noDb, objects: null }, { kind: 'onnx', path: 'a', files: [] }, never),
      ).rejects.toThrow(/no object store/)
    })
  })
}
