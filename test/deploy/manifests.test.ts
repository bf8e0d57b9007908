/** The compose file, the Kubernetes manifests and the systemd unit: valid, consistent, and with settings that the hub takes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { load, loadAll } from 'js-yaml'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Role, RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1'
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALL_LABEL } from '../../src/hosting/kubernetes/job-of-call.ts'
import { neededCapabilities } from '../../src/hosting/process/own-uids.ts'
import { readConfig } from '../../src/platform/config.ts'
import { environment } from '../../src/platform/config-environment.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
type Json = ReturnType<typeof JSON.parse>
const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0

const secret = 'a secret of more than thirty-two characters'

describe('deploy/kubernetes', () => {
  const kinds: Record<string, new (data: Json) => { validate(): void }> = {
    ConfigMap,
    Deployment,
    Ingress,
    Namespace,
    NetworkPolicy,
    PodDisruptionBudget,
    Role,
    RoleBinding,
    Service,
    ServiceAccount,
  }
  const objects: Json[] = ['hub.yaml', 'hosting.yaml'].flatMap(
    (file) => loadAll(read(`deploy/kubernetes/${file}`)) as Json[],
  )
  const of = (kind: string): Json => objects.find((object) => object.kind === kind)
  const pod = of('Deployment').spec.template.spec
  const [container] = pod.containers

  it.each(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))('%s is valid', (_, object) => {
    const Kind = kinds[object.kind]
    if (!Kind) throw new Error(`${object.kind} has no schema here.`)
    const made = new Kind(object)
    expect(() => made.validate()).not.toThrow()
  })

  it('has settings that the hub takes, with the secrets of the Secret', () => {
    const secrets = {
      DATABASE_URL: 'postgresql://db/hub',
      HUB_SECRET: secret,
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    }
    const config = readConfig({ HOST: '0.0.0.0', ...of('ConfigMap').data, ...secrets })
    expect(config.metrics.listener).toEqual({ host: '0.0.0.0', port: 9464 })
    expect(Object.keys(of('ConfigMap').data).filter((name) => !(name in environment.shape))).toEqual([])
  })

  it('probes the process for life, and database and store for readiness', () => {
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
    expect(container.startupProbe.httpGet.path).toBe('/healthz')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    const ports = container.ports.map(({ name }: Json) => name)
    for (const probe of ['livenessProbe', 'startupProbe', 'readinessProbe'])
      expect(ports).toContain(container[probe].httpGet.port)
    for (const { targetPort } of of('Service').spec.ports) expect(ports).toContain(targetPort)
  })

  it('gives the hub longer to stop than it takes', () => {
    // 20 s for requests and 30 s for background jobs, after the sleep before them.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(container.lifecycle.preStop.sleep.seconds + 50)
  })

  it('runs more than one replica, of which an eviction takes one at a time, without root', () => {
    expect(of('Deployment').spec.replicas).toBeGreaterThan(1)
    expect(of('PodDisruptionBudget').spec.maxUnavailable).toBe(1)
    expect([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser]).toEqual([true, 1000])
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('selects its own pods everywhere', () => {
    const { labels } = of('Deployment').spec.template.metadata
    for (const selector of [
      of('Deployment').spec.selector.matchLabels,
      of('PodDisruptionBudget').spec.selector.matchLabels,
      of('Service').spec.selector,
      of('NetworkPolicy').spec.podSelector.matchLabels,
    ])
      expect(labels).toMatchObject(selector)
  })

  it('grants the rights that the kubernetes backend needs, and no other', () => {
    const documented = loadAll(read('examples/kubernetes/access.yaml')) as Json[]
    expect(of('Role').rules).toEqual(documented.find(({ kind }) => kind === 'Role').rules)
    expect(of('Role').rules).toEqual([
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'get', 'list', 'delete'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ])
  })

  it('keeps calls from each other and from the credentials of their node', () => {
    const policy = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.namespace === 'hub-calls')
    expect(policy.spec.podSelector).toEqual({ matchExpressions: [{ key: CALL_LABEL, operator: 'Exists' }] })
    expect([policy.spec.policyTypes, policy.spec.ingress.length]).toEqual([['Ingress', 'Egress'], 1])
    const [{ to }] = policy.spec.egress
    expect(to.flatMap(({ ipBlock }: Json) => ipBlock.except)).toContain('169.254.169.254/32')
  })

  it('has an example of a Job whose pod gains no rights', () => {
    const { spec } = (load(read('examples/kubernetes/job-template.yaml')) as Json).spec.template
    expect([spec.securityContext.runAsNonRoot, spec.automountServiceAccountToken]).toEqual([true, undefined])
    for (const { securityContext } of spec.containers)
      expect(securityContext).toEqual({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })
  })

  it('holds no secret', () => {
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret')
    for (const name of Object.keys(of('ConfigMap').data)) expect(name).not.toMatch(/SECRET|DATABASE_URL|ACCESS_KEY/)
  })
})

describe('deploy/compose.yaml', () => {
  const compose = load(read('deploy/compose.yaml')) as Json
  const services: [string, Json][] = Object.entries(compose.services)
  let folder: string
  const up = () => execFileSync(join(folder, 'up'), ['--secrets-only'])
  const contents = () =>
    Object.fromEntries(
      readdirSync(join(folder, 'secrets'))
        .filter((name) => !name.startsWith('.'))
        .map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]),
    )

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hub-deploy-'))
    for (const name of ['up', 'compose.yaml']) cpSync(join(root, 'deploy', name), join(folder, name))
    // As Git makes it.
    mkdirSync(join(folder, 'secrets'), { mode: 0o755 })
    up()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is valid to Docker Compose', needs(!has('docker', 'compose', 'version') && 'there is no Docker Compose'), () => {
    execFileSync('docker', ['compose', '--file', join(folder, 'compose.yaml'), 'config', '--quiet'])
  })

  it('names only volumes, secrets and services that it has', () => {
    for (const [name, service] of services) {
      for (const secretName of service.secrets ?? [])
        expect([name, Object.keys(compose.secrets)]).toEqual([name, expect.arrayContaining([secretName])])
      for (const volume of service.volumes ?? [])
        expect([name, Object.keys(compose.volumes)]).toEqual([name, expect.arrayContaining([volume.split(':')[0]])])
      for (const needed of Object.keys(service.depends_on ?? {}))
        expect(compose.services[needed].healthcheck).toBeTruthy()
    }
  })

  it('pins every image that it does not build', () => {
    for (const [, { image, build }] of services) if (!build) expect(image).toMatch(/^[\w./-]+:\d+\.\d+[\w.-]*$/)
  })

  it('makes each secret once, in a folder that only its owner enters', () => {
    const made = contents()
    expect(Object.keys(made).sort()).toEqual(
      Object.values<Json>(compose.secrets)
        .map(({ file }) => file.replace('./secrets/', ''))
        .sort(),
    )
    expect(made.database_url).toBe(`postgresql://hub:${made.postgres_password}@postgres:5432/hub`)
    expect(new Set(Object.values(made)).size).toBe(Object.keys(made).length)
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
    up()
    expect(contents()).toEqual(made)
  })

  it('has settings that the hub takes, with its secrets as files', () => {
    const given: Record<string, string> = compose.services.hub.environment
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\w+:-(\w+)\}/g, '$1').replace('/run/secrets', join(folder, 'secrets')),
      ]),
    )
    const config = readConfig({ HOST: '0.0.0.0', HUB_DATA_DIR: folder, ...env })
    expect(config.objectStore).toMatchObject({ kind: 's3', s3: { endpoint: 'http://localhost:8333', bucket: 'hub' } })
    expect(config.secret).toMatch(/^[0-9a-f]{64}$/)
    for (const value of Object.values(given)) expect(value).not.toMatch(/[0-9a-f]{32}/)
  })
})

describe('deploy/hub.service', () => {
  const unit = read('deploy/hub.service')

  it('is valid to systemd', needs(!has('systemd-analyze', '--version') && 'there is no systemd-analyze'), () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(root, 'deploy/hub.service')], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('waits longer than the hub takes to stop', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(50)
    expect(unit).toMatch(/^KillSignal=SIGTERM$/m)
  })

  it(
    'is valid with hosting.conf',
    needs(!has('systemd-analyze', '--version') && 'systemd-analyze is not installed'),
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'hub-unit-'))
      try {
        cpSync(join(root, 'deploy/hub.service'), join(folder, 'hub.service'))
        mkdirSync(join(folder, 'hub.service.d'))
        cpSync(join(root, 'deploy/hosting.conf'), join(folder, 'hub.service.d/hosting.conf'))
        const verify = () =>
          spawnSync('systemd-analyze', ['verify', join(folder, 'hub.service')], { encoding: 'utf8' }).stderr
        expect(verify()).toBe('')
        // It is read, and not only the unit.
        writeFileSync(join(folder, 'hub.service.d/hosting.conf'), '[Service]\nNoSuchSetting=1\n')
        expect(verify()).toContain('NoSuchSetting')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )

  it('becomes root by hosting.conf alone, with the capabilities and calls of the system that uids of calls take', () => {
    const hosting = read('deploy/hosting.conf')
    const listed = (text: string) => /^CapabilityBoundingSet=(.*)$/m.exec(text)?.[1]?.split(' ').filter(Boolean)
    expect(listed(unit)).toEqual([])
    expect(listed(hosting)).toEqual(expect.arrayContaining([...neededCapabilities, 'CAP_SYS_PTRACE']))
    expect([unit, hosting].map((text) => /^User=root$/m.test(text))).toEqual([false, true])
    expect(hosting).toMatch(/^DynamicUser=no$/m)
    expect(hosting).toMatch(/^SystemCallFilter=@chown @setuid capset$/m)
  })

  it('keeps its data where systemd made a folder for it', () => {
    expect(unit).toMatch(/^StateDirectory=hub$/m)
    expect(unit).toMatch(/ HUB_DATA_DIR=\/var\/lib\/hub$/m)
  })
})
