/** `hub --help` lists commands by what a person wants to do. */

/** In the order of `hub --help`: what is done every day first, what only the operator needs last. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Repos and files:': ['push', 'pull', 'import', 'ls', 'rm', 'mv', 'cp', 'repo', 'repos', 'search', 'open'],
  'Training runs:': ['track', 'submit', 'runs', 'compare', 'logs', 'cancel'],
  'Robots and checks:': ['check', 'checks', 'publish', 'model', 'card', 'data', 'map', 'rollout', 'gate'],
  'Served policies:': ['endpoint', 'device', 'approve', 'revoke', 'open-session'],
  'History:': ['log', 'history', 'diff', 'restore', 'snapshot', 'snapshots', 'purge'],
  'Money:': ['spend', 'holds'],
  'Sign in:': ['login', 'logout', 'whoami', 'env', 'key', 'org'],
  'Lend a machine:': ['runner', 'check-worker', 'policy-server'],
  'This command:': ['completion'],
  'On the machine of the hub:': ['user', 'session', 'signing-key', 'store', 'storage', 'migrate', 'doctor', 'backup'],
}

const places = new Map(
  Object.values(groups)
    .flat()
    .map((name, place) => [name, place]),
)

/** Where a command stands in `hub --help`, after all others if no group has it. */
export const placeOf = (name: string): number => places.get(name) ?? places.size

/** The heading of a command of the program. */
export function groupOf(name: string): string {
  return Object.entries(groups).find(([, names]) => names.includes(name))?.[0] ?? 'Other commands:'
}
