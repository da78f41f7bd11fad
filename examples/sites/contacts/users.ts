/** The scopes of tokens. A manifest allows only these four words. */
export const scopes = ['read', 'write', 'delete', 'admin'] as const
export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

/** The scopes on the consent screen, in the site's words instead of OAuth's. */
export const inPlainWords: Record<Scope, string> = {
  read: 'see your contacts',
  write: 'add contacts',
  delete: 'delete contacts',
  admin: 'see who uses this site',
}

export interface User {
  name: string
  role: 'admin' | 'editor'
  /** The scopes that this user can grant. */
  may: readonly Scope[]
}

const users: (User & { password: string })[] = [
  { name: 'ada', role: 'admin', may: scopes, password: 'ada-password' },
  { name: 'bob', role: 'editor', may: ['read', 'write'], password: 'bob-password' },
]

const withoutPassword = ({ name, role, may }: User): User => ({ name, role, may })

export const listUsers = (): User[] => users.map(withoutPassword)

export const findUser = (name: string): User | undefined => listUsers().find((user) => user.name === name)

/** Your own site stores password hashes (argon2), never passwords, and limits guesses. */
export function checkPassword(name: string, password: string): User | undefined {
  const found = users.find((user) => user.name === name && user.password === password)
  return found && withoutPassword(found)
}

/** The accounts of this example. They are not secret: the login page shows them. */
export const accountsToTry = users.map(({ name, password, may }) => ({ name, password, may }))
