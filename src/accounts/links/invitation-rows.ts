/** Invitations that wait, for those who can withdraw them. */
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'

/** Who can see it: owners of its org; of one to the hub alone, the person who made it. */
const isOfPerson = `case when l.org_id is null then l.created_by = :personId else exists (select from memberships m
  where m.org_id = l.org_id and m.user_id = :personId and m.role = 'owner') end`

const isOpen = `l.kind = 'invitation' and l.ended_at is null and l.expires_at > now()`

const invitationColumns = columns({
  id: column.text('l.id'),
  orgId: column.text.orNull('l.org_id'),
  role: column.enum.orNull('OrgRole', 'l.role'),
  createdAt: column.timestamptz('l.created_at'),
  expiresAt: column.timestamptz('l.expires_at'),
})

export type Invitation = RowOf<typeof invitationColumns>

export const invitationById = statement({
  name: 'invitation-by-id',
  exact: 'each-request',
  columns: invitationColumns,
  params: { id: param.text(), personId: param.text() },
  text: `select ${invitationColumns.sql} from link_tokens l where l.id = :id and ${isOpen} and ${isOfPerson}`,
})

/** At most as many as may wait; those made by the command line are beyond that bound, hence the limit. */
export const invitationsOf = statement({
  name: 'invitations-of',
  exact: 'each-request',
  columns: invitationColumns,
  params: { org: param.text.orNull(), personId: param.text() },
  text: `select ${invitationColumns.sql} from link_tokens l where ${isOpen} and ${isOfPerson}
    and case when :org::text is null then l.org_id is null
      else l.org_id = (select a.id from accounts a where a.handle = :org) end
    order by l.id desc limit 100`,
})
