/**
 * The requests that the hub sends to the Kubernetes API, in one namespace. The client library is loaded here, when it
 * is needed: it takes 0.7 s and 50 MB.
 */
import type { V1Job, V1Pod, V1Secret } from '@kubernetes/client-node'
import { faultOf } from './api-faults.ts'

export interface KubeSettings {
  /** A kubeconfig file; null: the service account of the pod that the hub runs in. */
  readonly kubeconfig: string | null
  /** Null: that of the kubeconfig or service account. */
  readonly namespace: string | null
}

/** Each rejects with an `ApiFault` or `NoAnswer`. */
export interface KubeApi {
  readonly server: string
  readonly namespace: string
  /** `isTrial`: checks the Job as if it were created, and creates nothing. */
  createJob(job: V1Job, isTrial?: boolean): Promise<V1Job>
  readJob(name: string): Promise<V1Job>
  /** Its pods and its Secret go with it, afterwards. */
  deleteJob(name: string): Promise<void>
  listJobs(labelSelector: string): Promise<readonly V1Job[]>
  listPods(labelSelector: string): Promise<readonly V1Pod[]>
  createSecret(secret: V1Secret, isTrial?: boolean): Promise<void>
}

type Client = typeof import('./client-library.ts')

/** The client library waits for an answer without end. */
const TIMEOUT_MS = 15_000

/** Loads the client library. */
export const loadClient = (): Promise<Client> => import('./client-library.ts')

/**
 * Throws an Error that names the file and says nothing of its content: the messages of parsers quote the credentials in
 * it.
 */
function loadFile(config: InstanceType<Client['KubeConfig']>, file: string): void {
  try {
    config.loadFromFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      code === undefined
        ? `${file} is not a kubeconfig; name one, in YAML or JSON`
        : `${file} cannot be read (${code})`,
    )
  }
}

/** Reads the credentials; sends no request. Throws an Error that names the fault. */
export function openKubeApi(k8s: Omit<Client, 'models'>, settings: KubeSettings, timeoutMs = TIMEOUT_MS): KubeApi {
  const config = new k8s.KubeConfig()
  if (settings.kubeconfig === null) config.loadFromCluster()
  else loadFile(config, settings.kubeconfig)
  const cluster = config.getCurrentCluster()
  if (!cluster?.server) throw new Error('names no current context with a cluster')
  const { server, skipTLSVerify } = cluster
  // From the environment of its pod, and undefined elsewhere.
  if (!URL.canParse(server)) throw new Error('is not set, and the hub does not run in a cluster')
  if (!server.startsWith('https:') && !skipTLSVerify) throw new Error(`names a server without TLS: ${server}`)
  const context = config.getContextObject(config.getCurrentContext())
  const namespace = settings.namespace ?? context?.namespace ?? 'default'
  const configuration = k8s.createConfiguration({
    baseServer: new k8s.ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        pre: async (request) => {
          request.setSignal(AbortSignal.timeout(timeoutMs))
          return request
        },
        post: async (response) => response,
      },
    ],
  })
  const jobs = new k8s.BatchV1Api(configuration)
  const core = new k8s.CoreV1Api(configuration)
  const ask = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw faultOf(error)
    })
  // Without `Strict` the server drops fields that it does not know.
  const writing = (isTrial: boolean) => ({
    namespace,
    fieldValidation: 'Strict',
    ...(isTrial ? { dryRun: 'All' } : {}),
  })
  return {
    server,
    namespace,
    createJob: (body, isTrial = false) => ask(jobs.createNamespacedJob({ ...writing(isTrial), body })),
    readJob: (name) => ask(jobs.readNamespacedJob({ namespace, name })),
    deleteJob: async (name) => {
      await ask(jobs.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' }))
    },
    listJobs: async (labelSelector) => (await ask(jobs.listNamespacedJob({ namespace, labelSelector }))).items,
    listPods: async (labelSelector) => (await ask(core.listNamespacedPod({ namespace, labelSelector }))).items,
    createSecret: async (body, isTrial = false) => {
      await ask(core.createNamespacedSecret({ ...writing(isTrial), body }))
    },
  }
}
