import { getNamedType, isObjectType, isUnionType, parse } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { carriesSecrets } from '../../src/http/secret-fields.ts'

/** Names of fields that are, or could be, something that lets in who has it. */
const suspicious = /url|uri|token|secret|password|^key$|code$|signature/i

/** Fields with such a name that reads and subscriptions can select. What mutations alone return is never compressed. */
function readable(): Map<string, boolean> {
  const [seen, found] = [new Set<unknown>(), new Map<string, boolean>()]
  const walk = (type: unknown): void => {
    if (seen.has(type)) return
    seen.add(type)
    if (isUnionType(type)) type.getTypes().forEach(walk)
    if (!isObjectType(type)) return
    for (const field of Object.values(type.getFields())) {
      if (suspicious.test(field.name)) found.set(`${type.name}.${field.name}`, field.extensions.isSecret === true)
      walk(getNamedType(field.type))
    }
  }
  walk(schema.getQueryType())
  // Members of interfaces such as `Node`.
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && type.getInterfaces().length > 0) walk(type)
  return found
}

it('fields that hold a presigned URL are secrets, and nothing else of such a name is one', () => {
  expect(Object.fromEntries(readable())).toEqual({
    'DatasetFinding.code': false,
    // The person reads it off another screen, and it decides nothing without a session.
    'DeviceLogin.userCode': false,
    // Devices need a session's token as well.
    'Endpoint.url': false,
    'EpisodeFilm.url': true,
    // When it was set, and whether there are any: no password can be read.
    'HubUser.hasPassword': false,
    'Query.ownPassword': false,
    'RepoPictureFile.url': true,
    'RobotCheckArtifact.url': true,
    'RobotCheckSource.url': true,
    'RobotValidationCheck.code': false,
    'RolloutEpisode.url': true,
    'RunConfigDeclared.key': false,
    'RunMedia.key': false,
    'RunMedia.url': true,
    'RunMediaKey.key': false,
    'RunMetricSeries.key': false,
    'RunMetricSummary.key': false,
    'SignInWays.password': false,
  })
})

it('an operation that selects one, or that writes, carries secrets', () => {
  const asks = (text: string) => carriesSecrets(schema, parse(text))
  expect(asks('{ robotCheck(id: "x") { artifacts { sha256 } } }')).toBe(false)
  expect(asks('{ robotCheck(id: "x") { ...Files } } fragment Files on RobotCheck { artifacts { url } }')).toBe(true)
  expect(asks('mutation { cancelRun(input: { runId: "x" }) { run { id } } }')).toBe(true)
})
