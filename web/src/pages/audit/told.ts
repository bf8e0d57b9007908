/** What an entry of the audit log says in words. Pure. */

/** Actions that people take, in words that follow the name of a person. Others are shown by their own name. */
export const told: Readonly<Record<string, string>> = {
  'repo.create': 'made the repo',
  'repo.update': 'changed the settings of',
  'repo.move': 'moved the repo',
  'repo.delete': 'deleted the repo',
  'repo.meta': 'changed the metadata of',
  'repo.card': 'changed the robot card of',
  'files.commit': 'changed files of',
  'files.complete': 'uploaded files to',
  'files.delete': 'deleted files of',
  'files.restore': 'restored an earlier version of',
  'files.purge': 'purged files of',
  'episodes.label': 'labelled episodes of',
  'file.rejected': 'sent a file that was refused to',
  'snapshot.create': 'named a snapshot of',
  'snapshot.delete': 'deleted a snapshot of',
  'map.put': 'kept a map of joints of',
  'map.review': 'reviewed a map of joints of',
  'rollouts.gate': 'changed a gate of',
  'rollouts.publish': 'published a result of rollouts of',
  'run.create': 'started the run',
  'run.import': 'imported the run',
  'run.update': 'edited the run',
  'run.cancel': 'canceled the run',
  'run.delete': 'deleted the run',
  'run.claim': 'claimed the run',
  'run.reclaim': 'claimed again the run',
  'run.finish': 'ended the run',
  'robot_check.create': 'started the check',
  'robot_check.claim': 'claimed the check',
  'robot_check.cancel': 'canceled the check',
  'robot_check.finish': 'ended the check',
  'robot_check.publish': 'published the check',
  'episodes.select': 'selected episodes of the data set',
  'dataset_check.create': 'asked for a check of the data set',
  'dataset_check.claim': 'took the check of the data set',
  'dataset_check.finish': 'ended the check of the data set',
  'episode_film.create': 'asked for a film of an episode of',
  'episode_film.claim': 'took the film of an episode of',
  'episode_film.finish': 'ended the film of an episode of',
  'episode_film.delete': 'deleted a film of an episode of',
  'endpoint.create': 'served the endpoint',
  'endpoint.claim': 'claimed the endpoint',
  'endpoint.stop': 'stopped the endpoint',
  'endpoint.finish': 'ended the endpoint',
  'endpoint.approve': 'approved a device on',
  'endpoint.approval_revoke': 'revoked the approval',
  'endpoint.session_open': 'opened a session on',
  'endpoint.session_refused': 'was refused a session on',
  'device.register': 'registered the device',
  'spend.file': 'asked for approval of',
  'spend.approve': 'approved',
  'spend.deny': 'denied',
  'spend.cancel': 'withdrew',
  'spend.expire': 'let expire',
  'spend.cap': 'changed the spend cap of',
  'spend.cap_passed': 'passed the spend cap of',
  'org.create': 'made the organization',
  'org.member.put': 'added or changed a member of',
  'org.member.remove': 'removed a member of',
  'invitation.create': 'invited a person by',
  'invitation.withdraw': 'withdrew the invitation',
  'invitation.accept': 'accepted the invitation',
  'key.create': 'made an API key',
  'key.revoke': 'revoked an API key',
  'passkey.add': 'added the passkey',
  'passkey.rename': 'renamed the passkey',
  'passkey.remove': 'removed the passkey',
  'passkey.reset': 'was given a new passkey',
  'passkey.refused': 'was refused a passkey that may be a copy',
  'session.create': 'signed in',
  'session.revoke': 'ended a session',
  'session.revoke_others': 'ended all other sessions',
  'user.create': 'made the account',
  'user.disable': 'disabled the account',
  'user.enable': 'enabled the account',
  'profile.update': 'changed the profile of',
  'avatar.set': 'set the picture of',
  'avatar.remove': 'removed the picture of',
  'job.retry': 'sent again the background job',
  'storage.recount': 'counted the storage again of',
  'password.set': 'set the password of',
}

/** The actions to choose from, in the order of the alphabet. */
export const actions: readonly string[] = Object.keys(told).toSorted()

interface Entry {
  readonly id: string
  readonly action: string
  readonly targetId: string
  readonly actor: { readonly handle: string } | null
}

/** The newest entry of several that say the same, and how many they are. */
export interface Told<E extends Entry> {
  readonly entry: E
  readonly times: number
}

/** Entries that follow each other and say the same are one: a push of many parts is one line. */
export function merged<E extends Entry>(entries: readonly E[]): Told<E>[] {
  const found: Told<E>[] = []
  for (const entry of entries) {
    const last = found.at(-1)
    if (last && says(last.entry) === says(entry)) found[found.length - 1] = { ...last, times: last.times + 1 }
    else found.push({ entry, times: 1 })
  }
  return found
}

const says = ({ action, targetId, actor }: Entry) => JSON.stringify([action, targetId, actor?.handle])
