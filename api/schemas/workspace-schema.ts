import * as v from 'valibot'
import { roles } from '../../src/owners/roles.ts'
import { connections as kinds } from '../../src/workspaces/workspace.ts'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { createdAt, name, time } from './schemas.ts'
import { cap, usage } from './usage-schema.ts'

export const role = named(
  'Role',
  v.picklist(roles, `must be one of ${roles.join(', ')}`),
  '`viewer`: sees everything but secrets. `member`: also chats, starts runs, decides approvals, and changes agents and sites. ' +
    '`admin`: also manages members, API keys and the credit limit. `owner`: pays for the workspace and can delete it.',
  'member',
)

const nameMeaning = 'Display name'
const creditsPerMonth = field(
  cap,
  'Credits that the workspace can use per calendar month (UTC). Null if there is no limit.',
  null,
)

export const connections = named(
  'Connections',
  v.picklist(kinds, `must be ${kinds.join(' or ')}`),
  'What happens to sites connected by a member who leaves. `keep`: the sites stay. `remove`: the sites are disconnected, and their tokens are revoked where possible.',
  'keep',
)

export const workspaceName = name(100, nameMeaning, 'Support')
export const workspaceChanges = {
  name: v.optional(workspaceName),
  creditsPerMonth: v.optional(creditsPerMonth),
  connectionsOfLeavers: v.optional(connections),
}

export const transfer = named(
  'Transfer',
  v.object({
    userId: idOf('user', 'Member who can accept'),
    expiresAt: field(time, 'When the offer expires'),
  }),
  'Offer to transfer a workspace',
)

export const workspace = named(
  'Workspace',
  v.object({
    id: idOf('workspace'),
    name: field(v.string(), nameMeaning, 'Support'),
    payerId: idOf('user', 'User who owns and pays for the workspace'),
    role: field(role, 'Your role'),
    open: field(
      v.boolean(),
      "Whether the workspace can be used. This requires the owner's tier to include workspaces.",
      true,
    ),
    creditsPerMonth,
    usage,
    connectionsOfLeavers: connections,
    transfer: field(
      v.nullable(transfer),
      'Open offer to transfer the workspace. Null if there is none. Also null for members who are not involved.',
      null,
    ),
    createdAt,
  }),
  'Workspace: agents, sites, runs and chats that several people share',
)

export const member = named(
  'Member',
  v.object({
    userId: idOf('user', 'Id of the user'),
    email: field(v.string(), 'Account email address', 'ada@example.com'),
    role,
    joinedAt: field(time, 'When the user joined'),
  }),
  'Workspace member',
)

export const membership = named(
  'Membership',
  v.object({
    workspaceId: idOf('workspace', 'Id of the workspace'),
    role: member.entries.role,
    joinedAt: field(time, 'When the user joined'),
  }),
  'Membership in a workspace',
)
