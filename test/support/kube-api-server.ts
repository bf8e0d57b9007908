/**
 * A stand-in for a Kubernetes API server: Jobs, pods and Secrets of one namespace, with the answers, status codes and `Status` bodies of a real one. Every body that it is
 * sent is validated against the published OpenAPI of its kind, as the package `kubernetes-models` (Apache-2.0 schemas of kubernetes/kubernetes) carries it.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import { Job } from 'kubernetes-models/batch/v1'
import { Secret } from 'kubernetes-models/v1'

export type Json = ReturnType<typeof JSON.parse>

/** What happens to a request instead of, before or after the ordinary answer. */
export interface Fault {
  readonly method: string
  /** The last part of the path of a collection: `jobs`, `secrets`, `pods`. */
  readonly of: string
  /** `lost`: it has its effect, and the connection ends without an answer. `silent`: neither effect nor answer. */
  readonly does:
    | 'lost'
    | 'refused'
    | 'silent'
    | { readonly status: number; readonly body?: Json; readonly headers?: object }
}

const namespace = 'robots'
const token = 'token-of-the-hub'
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/
const LABEL = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const statusBody = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
})

/** Listens on a free port of this machine until `close`. */
export async function kubeApiServer() {
  const dir = mkdtempSync(join(tmpdir(), 'hub-kube-'))
  const jobs = new Map<string, Json>()
  const secrets = new Map<string, Json>()
  const pods = new Map<string, Json>()
  const requests: { readonly method: string; readonly path: string; readonly query: URLSearchParams }[] = []
  const faults: Fault[] = []
  const kinds: Record<string, Map<string, Json>> = { jobs, secrets, pods }

  const invalid = (kind: string, name: string, why: string) =>
    statusBody(422, 'Invalid', `${kind} "${name}" is invalid: ${why}`)

  /** What the schema, and the rules next to it that the hub could break, say of a new object. */
  const faultOf = (of: string, body: Json): Json | null => {
    const Kind = of === 'jobs' ? Job : Secret
    try {
      new Kind(body).validate()
    } catch (error) {
      return statusBody(400, 'BadRequest', `${of} in version "v1" cannot be handled: ${(error as Error).message}`)
    }
    const { name, labels = {}, ownerReferences = [] } = body.metadata
    if (!NAME.test(name) || name.length > 63) return invalid(of, name, 'metadata.name: RFC 1123')
    const pod = body.spec?.template?.spec
    const all = [...Object.entries(labels), ...Object.entries(body.spec?.template?.metadata?.labels ?? {})]
    const bad = all.find(([, value]) => !LABEL.test(String(value)) || String(value).length > 63)
    if (bad) return invalid(of, name, `metadata.labels: ${bad}`)
    if (of === 'jobs' && !['Never', 'OnFailure'].includes(pod.restartPolicy))
      return invalid(of, name, 'spec.template.spec.restartPolicy: Required value')
    for (const { resources = {} } of pod?.containers ?? [])
      for (const [resource, amount] of Object.entries(resources.requests ?? {}))
        if (resource.includes('/') && resources.limits?.[resource] !== amount)
          return invalid(of, name, `resources.limits: must equal ${resource} request`)
    if (ownerReferences.some(({ uid }: Json) => !uid)) return invalid(of, name, 'metadata.ownerReferences.uid')
    return null
  }

  const create = (of: string, body: Json, isTrial: boolean): [number, Json] => {
    const fault = faultOf(of, body)
    if (fault) return [fault.code, fault]
    const { name } = body.metadata
    const kept = kinds[of]
    if (kept?.has(name)) return [409, statusBody(409, 'AlreadyExists', `${of}.batch "${name}" already exists`)]
    const uid = randomUUID()
    const made = {
      ...body,
      metadata: { ...body.metadata, namespace, uid, creationTimestamp: new Date().toISOString() },
    }
    if (isTrial) return [201, made]
    kept?.set(name, made)
    if (of === 'jobs') {
      const labels = { ...body.spec.template.metadata?.labels, 'batch.kubernetes.io/job-name': name }
      pods.set(`${name}-x1`, {
        metadata: { name: `${name}-x1`, namespace, labels },
        spec: {},
        status: { phase: 'Pending' },
      })
    }
    return [201, made]
  }

  /** What the garbage collector does with the pods and the Secret of a Job. */
  const remove = (name: string): [number, Json] => {
    const job = jobs.get(name)
    if (!job) return [404, statusBody(404, 'NotFound', `jobs.batch "${name}" not found`)]
    jobs.delete(name)
    pods.delete(`${name}-x1`)
    for (const [key, { metadata }] of secrets)
      if (metadata.ownerReferences?.some(({ uid }: Json) => uid === job.metadata.uid)) secrets.delete(key)
    return [200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }]
  }

  const list = (of: string, selector: string): [number, Json] => {
    const [, key = '', , among] = /^([\w./-]+)(=| in )\(?([\w.,-]+)\)?$/.exec(selector) ?? []
    if (!among) return [400, statusBody(400, 'BadRequest', `unable to parse requirement: ${selector}`)]
    const items = [...(kinds[of]?.values() ?? [])].filter(({ metadata }) =>
      among.split(',').includes(metadata.labels?.[key]),
    )
    return [200, { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }]
  }

  const answerTo = (method: string, url: URL, request: IncomingMessage, text: string): [number, Json] => {
    if (request.headers.authorization !== `Bearer ${token}`)
      return [401, statusBody(401, 'Unauthorized', 'Unauthorized')]
    const [, of = '', name] =
      /^\/(?:apis\/batch\/v1|api\/v1)\/namespaces\/robots\/(jobs|pods|secrets)(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (method === 'POST' && !name && (of === 'jobs' || of === 'secrets')) {
      if (!request.headers['content-type']?.startsWith('application/json'))
        return [415, statusBody(415, 'UnsupportedMediaType', 'the body is not JSON')]
      if (url.searchParams.get('fieldValidation') !== 'Strict')
        return [400, statusBody(400, 'BadRequest', 'not strict')]
      return create(of, JSON.parse(text), url.searchParams.get('dryRun') === 'All')
    }
    if (method === 'GET' && name && of === 'jobs') {
      const job = jobs.get(name)
      return job ? [200, job] : [404, statusBody(404, 'NotFound', `jobs.batch "${name}" not found`)]
    }
    if (method === 'GET' && !name && of !== '') return list(of, url.searchParams.get('labelSelector') ?? '')
    if (method === 'DELETE' && name && of === 'jobs') {
      // Any other policy would leave the pods, or wait for them.
      if (url.searchParams.get('propagationPolicy') !== 'Background')
        return [400, statusBody(400, 'BadRequest', 'orphans')]
      return remove(name)
    }
    return [404, statusBody(404, 'NotFound', 'the server could not find the requested resource')]
  }

  const send = (response: ServerResponse, status: number, body: Json, headers: object = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

  const server = createDouble(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url ?? '', 'http://kube.test')
    const method = request.method ?? ''
    requests.push({ method, path: url.pathname, query: url.searchParams })
    const at = faults.findIndex((fault) => fault.method === method && url.pathname.split('/').includes(fault.of))
    const does = at < 0 ? null : faults.splice(at, 1)[0]?.does
    if (does === 'silent') return
    if (does === 'refused') return void request.socket.destroy()
    if (typeof does === 'object' && does !== null)
      return send(
        response,
        does.status,
        does.body ?? statusBody(does.status, 'Fault', 'as the test wants it'),
        does.headers,
      )
    const [status, body] = answerTo(method, url, request, Buffer.concat(chunks).toString())
    if (does === 'lost') return void request.socket.destroy()
    send(response, status, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const kubeconfig = join(dir, 'kubeconfig')
  const cluster = { name: 'c', cluster: { server: address, 'insecure-skip-tls-verify': true } }
  const context = { name: 'x', context: { cluster: 'c', user: 'u', namespace } }
  const user = { name: 'u', user: { token } }
  writeFileSync(
    kubeconfig,
    JSON.stringify({ 'current-context': 'x', clusters: [cluster], contexts: [context], users: [user] }),
  )

  return {
    address,
    kubeconfig,
    jobs,
    secrets,
    pods,
    requests,
    /** Happens to the next request that it fits, once. */
    fault: (...next: Fault[]) => void faults.push(...next),
    /** The Job ends as the Job controller records it, with the status of its pod. */
    endJob(name: string, condition: Json, pod: Json = {}) {
      const job = jobs.get(name)
      job.status = { conditions: [{ status: 'True', ...condition }] }
      pods.get(`${name}-x1`).status = pod
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
