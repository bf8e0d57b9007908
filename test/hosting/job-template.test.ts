/** The Job of a deployed app: a bad template stops the start of the hub, with the fault named. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as k8s from '@kubernetes/client-node'
import { dump, load } from 'js-yaml'
import { afterAll, describe, expect, it } from 'vitest'
import { jobOfCall } from '../../src/hosting/kubernetes/job-of-call.ts'
import { parseJobTemplate } from '../../src/hosting/kubernetes/job-template.ts'
import { openCluster } from '../../src/hosting/open-cluster.ts'
import { readConfig } from '../../src/platform/config.ts'

const example = readFileSync(join(import.meta.dirname, '../../examples/kubernetes/job-template.yaml'), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'hub-template-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const types = { ...k8s }

type Node = ReturnType<typeof JSON.parse>
const changed = (change: (job: Node, pod: Node, container: Node) => unknown): string => {
  const job = load(example) as Node
  const pod = job.spec.template.spec
  change(job, pod, pod.containers[0])
  return dump(job)
}
const faultOf = (text: string) => {
  try {
    parseJobTemplate(text, types)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('a Job template', () => {
  it('is YAML or JSON, as in the example', () => {
    expect(parseJobTemplate(JSON.stringify(load(example)), types)).toEqual(parseJobTemplate(example, types))
  })

  it.each<[string, string, string]>([
    ['is no YAML', 'a: [', 'is not YAML: '],
    ['is a list', '[]', 'the file: '],
    ['is another kind', changed((job) => (job.kind = 'CronJob')), 'kind: must be Job'],
    ['has no container', changed((_, pod) => (pod.containers = [])), 'spec.template.spec.containers: must have'],
    ['has no image', changed((_, __, c) => delete c.image), 'spec.template.spec.containers.0.image: '],
    ['has a name', changed((job) => (job.metadata.name = 'x')), 'metadata.name: must be left out'],
    [
      'restarts',
      changed((_, pod) => (pod.restartPolicy = 'OnFailure')),
      'spec.template.spec.restartPolicy: must be Never',
    ],
    ['tries again', changed((job) => (job.spec.backoffLimit = 3)), 'spec.backoffLimit: must be 0'],
    ['runs more than one', changed((job) => (job.spec.parallelism = 2)), 'spec.parallelism: must be 1'],
    [
      'sets what the hub sets',
      changed((_, __, c) => (c.env = [{ name: 'HUB_TOKEN', value: 'x' }])),
      'spec.template.spec.containers.0.env.0.name: must not begin with HUB_',
    ],
    [
      'has a field that does not exist',
      changed((_, __, c) => (c.comand = [])),
      'spec.template.spec.containers[0].comand is not a field',
    ],
    [
      'has a number for text',
      changed((_, __, c) => (c.env = [{ name: 'A', value: 1 }])),
      'spec.template.spec.containers[0].env[0].value must be text (quote it)',
    ],
    [
      'has text for a number',
      changed((_, pod) => (pod.terminationGracePeriodSeconds = '20')),
      'terminationGracePeriodSeconds must be a whole number',
    ],
    [
      'has a value for a list',
      changed((_, __, c) => (c.args = 'x')),
      'spec.template.spec.containers[0].args must be a list',
    ],
  ])('that %s is refused', (_what, text, fault) => {
    expect(faultOf(text)).toContain(fault)
  })

  it('takes quantities as numbers and ports by name', () => {
    const text = changed((_, __, c) => {
      c.resources.requests.cpu = 2
      c.readinessProbe = { httpGet: { path: '/', port: 'http' } }
    })
    expect(faultOf(text)).toBeNull()
  })

  it('that is bad stops the start, which names file and fault; so does a kubeconfig', async () => {
    const settings = { HOSTED_APP_NAME: 'coach', HOSTED_BACKEND: 'kubernetes', PUBLIC_URL: 'https://hub.test' }
    const template = join(dir, 'job.yaml')
    const start = (more: Record<string, string>) =>
      openCluster(readConfig({ ...settings, HOSTED_KUBE_TEMPLATE: template, ...more }))
    await expect(start({})).rejects.toThrow(`HOSTED_KUBE_TEMPLATE: ${template} cannot be read: ENOENT`)
    writeFileSync(
      template,
      changed((job) => (job.kind = 'Pod')),
    )
    await expect(start({})).rejects.toThrow(`HOSTED_KUBE_TEMPLATE: ${template}: kind: must be Job`)
    writeFileSync(template, example)
    await expect(start({})).rejects.toThrow('HOSTED_KUBECONFIG: is not set, and the hub does not run in a cluster')
    await expect(start({ HOSTED_KUBECONFIG: join(dir, 'none') })).rejects.toThrow(
      /HOSTED_KUBECONFIG: .*none cannot be read \(ENOENT\)/,
    )
    expect(() => readConfig({ HOSTED_APP_NAME: 'coach', HOSTED_BACKEND: 'kubernetes' })).toThrow(
      /HOSTED_KUBE_TEMPLATE: is required.*\n.*PUBLIC_URL: is required/,
    )
    expect(() => readConfig({ HOSTED_KUBE_TEMPLATE: template })).toThrow(/no effect without HOSTED_BACKEND=kubernetes/)
  })
})

describe('the Job of a call', () => {
  const config = { ...readConfig({}), publicUrl: 'https://hub.test' }
  const call = { callId: 'call_0a', jobId: 'run_1', kind: 'run', functionName: 'act', token: 'secret' }
  const jobOf = (tier: string | null, maxSeconds: number | null, tiers = config.tiers) =>
    jobOfCall({ ...config, tiers }, parseJobTemplate(example, types), { ...call, tier, maxSeconds }, 600)

  it('has the GPU, the nodes and the deadline of its tier and job, beside what the template says', () => {
    const job = jobOf('l4', 7200)
    const pod = job.spec?.template.spec
    expect(pod?.containers[0]?.resources).toEqual({
      requests: { cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '1' },
      limits: { memory: '32Gi', 'nvidia.com/gpu': '1' },
    })
    expect(pod).toMatchObject({
      nodeSelector: { 'hub/tier': 'l4' },
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
    })
    expect(job.spec).toMatchObject({
      backoffLimit: 0,
      ttlSecondsAfterFinished: 600,
      activeDeadlineSeconds: 7200 + 3720,
    })
    const own = config.tiers.map((tier) => ({ ...tier, nodeSelector: { 'cloud/gpu': 'nvidia-l4' } }))
    expect(jobOf('l4', 7200, own).spec?.template.spec?.nodeSelector).toEqual({ 'cloud/gpu': 'nvidia-l4' })
  })

  it('has none of them for CPU work without a limit, and its key nowhere', () => {
    const job = jobOf(null, null)
    expect(JSON.stringify(job)).not.toMatch(/gpu": ?"1|nodeSelector|activeDeadlineSeconds|secret"/)
    expect(job.spec?.template.spec?.containers[0]?.env).toEqual([
      { name: 'HUB_URL', value: 'https://hub.test' },
      { name: 'HUB_JOB_KIND', value: 'run' },
      { name: 'HUB_JOB_ID', value: 'run_1' },
      { name: 'HUB_CALL_ID', value: 'call_0a' },
      { name: 'HUB_JOB_TEMPLATE', value: 'act' },
      { name: 'HUB_TOKEN', valueFrom: { secretKeyRef: { name: 'call-0a', key: 'token' } } },
    ])
  })
})
