/** The fields of devices, approvals and sessions that the client reads. Unknown fields pass through. */
import { z } from 'zod'
import { type Answer, conformsTo } from './agreement.ts'
import { nullable } from './shapes.ts'

const remoteDevice = z.looseObject({
  id: z.string(),
  name: z.string(),
  owner: z.looseObject({ handle: z.string() }),
  robotRepoName: nullable(z.string()),
  createdAt: z.string(),
})
export type RemoteDevice = z.output<typeof remoteDevice>

export const devicePage = z.looseObject({
  devices: z.looseObject({
    nodes: z.array(remoteDevice),
    pageInfo: z.looseObject({ endCursor: nullable(z.string()), hasNextPage: z.boolean() }),
  }),
})

export const registeredDevice = z.looseObject({ registerDevice: z.looseObject({ device: remoteDevice }) })

/** The status in the spelling of `/v1`. */
const remoteApproval = z.looseObject({
  id: z.string(),
  status: z.string().toLowerCase(),
  expiresAt: z.string(),
  jointMapFingerprint: nullable(z.string()),
})

export const mintedApproval = z.looseObject({
  approveEndpointSession: z.looseObject({ token: z.string(), approval: remoteApproval }),
})

export const revokedApproval = z.looseObject({ revokeApproval: z.looseObject({ approval: remoteApproval }) })

export const openedSession = conformsTo<Answer<'openEndpointSession'>>()(
  z.looseObject({
    session: z.looseObject({ id: z.string() }),
    url: z.string(),
    session_token: z.string(),
    expires_at: z.string(),
    model_sha256: z.string(),
    contract_fingerprint: nullable(z.string()),
    joint_map: nullable(z.looseObject({ fingerprint: z.string(), map: z.json() })),
  }),
)
