/**
 * What the hub uses of the client library. Named one by one, since a build then leaves out the rest: the library has
 * every API of Kubernetes, 62 MB, and these are 5.
 */
export { BatchV1Api, CoreV1Api, createConfiguration, KubeConfig, ServerConfiguration } from '@kubernetes/client-node'
/** The published types of all kinds. */
export * as models from '@kubernetes/client-node/dist/gen/models/all.js'
