import * as v from 'valibot'
import { roles } from '../../src/owners/roles.ts'
import { connections as kinds } from '../../src/workspaces/workspace.ts'
import { field, named } from './documented.ts'
import { id, name, time } from './schemas.ts'
import { cap, usage } from './usage-schema.ts'

export const role = named(
  'Role',
  v.picklist(roles, `must be one of ${roles.join(', ')}`),
  'viewer: sees everything but secrets · member: also starts runs, chats, decides approvals, and changes agents and sites · ' +
    'admin: also manages members, API keys and the cap · owner: whose account pays; the only one who deletes the workspace',
  'member',
)

const nameMeaning = 'What people call it'
const creditsPerMonth = field(
  cap,
  'How many credits it may use in a calendar month (UTC); null for as many as its owner has',
  null,
)

export const connections = named(
  'Connections',
  v.picklist(kinds, `must be ${kinds.join(' or ')}`),
  'keep: sites that a leaving member has connected stay · remove: they are disconnected, and revoked where the site allows',
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
    userId: field(id, 'The member who can take the workspace over'),
    expiresAt: field(time, 'Until when'),
  }),
  'An offer to hand a workspace over',
)

export const workspace = named(
  'Workspace',
  v.object({
    id: field(id, 'Used as `workspaceId` elsewhere'),
    name: field(v.string(), nameMeaning, 'Support'),
    payerId: field(id, 'The user who owns it, and whose account pays'),
    role: field(role, 'What you are in it'),
    open: field(v.boolean(), 'Whether it can be worked in: the tier of its owner includes workspaces', true),
    creditsPerMonth,
    usage,
    connectionsOfLeavers: connections,
    transfer: field(
      v.nullable(transfer),
      'The open offer to hand it over, for its owner and the member whom it is made to; null for others',
      null,
    ),
    createdAt: time,
  }),
  'What several people share: agents, sites, runs and chats',
)

export const member = named(
  'Member',
  v.object({
    userId: field(id, 'The user'),
    email: field(v.string(), 'The address of the account', 'ada@example.com'),
    role,
    joinedAt: time,
  }),
  'Somebody in a workspace',
)

export const membership = named(
  'Membership',
  v.object({ workspaceId: field(id, 'The workspace'), role: member.entries.role, joinedAt: time }),
  'What one is in a workspace',
)
