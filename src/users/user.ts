import { Row } from '../database/row.ts'

/** One person who can log in. */
export class UserRow extends Row {
  static override tableName = 'users'
  declare id: string
  declare email: string
  declare passwordHash: string
  declare termsVersion: string | null
  declare termsAcceptedAt: Date | null
  declare createdAt: Date
}

/** What a user may see of the own account. */
export interface User {
  id: string
  email: string
  createdAt: Date
  terms: { currentVersion: string; acceptedVersion: string | null; acceptedAt: Date | null }
}

/** The public view of a row, beside the version of the terms in force. */
export function presentUser(row: UserRow, currentVersion: string): User {
  const { id, email, createdAt, termsVersion, termsAcceptedAt } = row
  const terms = { currentVersion, acceptedVersion: termsVersion, acceptedAt: termsAcceptedAt }
  return { id, email, createdAt, terms }
}
