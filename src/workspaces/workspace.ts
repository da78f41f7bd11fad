import { Row } from '../database/row.ts'

/** What becomes of the sites that a leaving member has connected: they stay, or are taken out of the vault. */
export const connections = ['keep', 'remove'] as const
export type Connections = (typeof connections)[number]

/** A workspace (table `workspaces`): an owner whose things several people share. */
export class Workspace extends Row {
  static override tableName = 'workspaces'
  /** That of its row in `owners`. */
  declare id: string
  declare name: string
  /** The user whose account pays: the only member with the role `owner`. */
  declare payerId: string
  /** How many credits it may use in a calendar month (UTC); null for as many as there are. */
  declare creditsPerMonth: number | null
  /** What becomes of the sites that a member has connected who leaves. */
  declare connectionsOfLeavers: Connections
  declare createdAt: Date
  declare deletedAt: Date | null
}
