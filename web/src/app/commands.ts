/** What the pages say to type in a terminal. Pure: a test gives each to the program of the command line. */
import { resolvePath } from '../pages/repos/repo-links.ts'
import { repoParts } from '../ui/repo-parts.ts'

/** Lines for the shell. Handles, slugs and ids need no quotes; what a person has to replace is in capitals. */
export const commands = {
  /** Into a folder. `at`: the files as a run was given them (its id), or as they were then. */
  pull: (fullName: string, folder: string, at?: string) =>
    `hub pull ${fullName} ${folder}${at === undefined ? '' : ` --at ${at}`}`,
  push: (fullName: string) => `hub push DIR ${fullName}`,
  pushNew: (kind: string) => `hub push ./folder OWNER/NAME --kind ${kind}`,
  createRepo: (kind: string) => `hub repo create OWNER/NAME --kind ${kind}`,
  submit: () => 'hub submit recipe.json',
  /** Before any command that trains. */
  track: () => 'hub track -- python train.py',
  check: () => 'hub check ./robot scene.xml',
  /** As a machine that executes the checks of an account. */
  checkWorker: (owner: string) => `hub check-worker --owner ${owner}`,
  /** As a machine that executes the runs of an account. */
  runner: (owner: string) => `hub runner --owner ${owner} --command 'python train.py'`,
  /** As a server of models on one's own machine. */
  serve: (endpointId: string) => `hub policy-server --endpoint ${endpointId} --public-url ws://HOST:8000`,
  /** By the driver of a robot; the token of the approval stands in a file. */
  openSession: (endpointId: string, deviceId: string) =>
    `hub open-session ${endpointId} ${deviceId} --approval-token-file approval`,
  addSession: () => 'hub session add HANDLE',
  addUser: () => 'hub user add HANDLE',
  doctor: () => 'hub doctor',
  backup: () => 'hub backup create DIR',
} as const

/** Of one file; `origin` is the hub's. The path is escaped for the address, and the address is quoted for the shell. */
export function curlLine(origin: string, fullName: string, path: string): string {
  const { owner, repo } = repoParts(fullName)
  const address = `${origin}${resolvePath(owner, repo, path)}`.replaceAll("'", '%27')
  return `curl -L -H "Authorization: Bearer $HUB_TOKEN" -O '${address}'`
}

/** With the Python client. */
export const pythonLine = (fullName: string, folder: string): string =>
  `hub.snapshot_download(${JSON.stringify(fullName)}, ${JSON.stringify(folder)})`

/** A robot's program, after `hub open-session`: the observation has the names that the model's manifest declares. */
export const policyCall = `import json
import numpy as np
from openpi_client.websocket_client_policy import WebsocketClientPolicy

session = json.load(open("session.json"))
policy = WebsocketClientPolicy(host=session["url"], api_key=session["session_token"])
print(policy.infer({"obs": np.array([1.0, 2.0, 3.0])})["actions"])`
