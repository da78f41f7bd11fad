/** What a token may be good for. A manifest knows these four words and no others. */
export const scopes = ['read', 'write', 'delete', 'admin'] as const
export type Scope = (typeof scopes)[number]

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

/** The scopes as the consent screen says them: in words of the site, not of OAuth. */
export const inPlainWords: Record<Scope, string> = {
  read: 'see your contacts',
  write: 'add contacts',
  delete: 'delete contacts',
  admin: 'see who uses this site',
}

export interface User {
  name: string
  role: 'admin' | 'editor'
  /** The most that this user can hand to anybody. */
  may: readonly Scope[]
}

const users: (User & { password: string })[] = [
  { name: 'ada', role: 'admin', may: scopes, password: 'ada-password' },
  { name: 'bob', role: 'editor', may: ['read', 'write'], password: 'bob-password' },
]

const withoutPassword = ({ name, role, may }: User): User => ({ name, role, may })

export const listUsers = (): User[] => users.map(withoutPassword)

export const findUser = (name: string): User | undefined => listUsers().find((user) => user.name === name)

/** A site of your own keeps hashes made for passwords (argon2), never passwords, and limits how often one may guess. */
export function checkPassword(name: string, password: string): User | undefined {
  const found = users.find((user) => user.name === name && user.password === password)
  return found && withoutPassword(found)
}

/** The accounts of this example. They are no secret: the sign-in page shows them. */
export const accountsToTry = users.map(({ name, password, may }) => ({ name, password, may }))
