import type { Schema } from '@cfworker/json-schema'
import type { Contact, Contacts } from './contacts.ts'
import { listUsers, type Scope, type User } from './users.ts'

/** One tool: its entry in the manifest, and its implementation. */
export interface Tool {
  name: string
  description: string
  /** The scope that the access token needs. The platform requests the scopes of the tools that users choose. */
  scope: Scope
  /** The platform may repeat a call with `read` or `idempotent` whose outcome is unknown, but never one with `once`. */
  effect: 'read' | 'idempotent' | 'once'
  input_schema: Schema & { type: 'object' }
  /** Executes the tool with valid input, for a permitted user. Throws a SiteError. */
  run(input: Record<string, unknown>, user: User): object
}

const id = { type: 'integer', description: 'Number of the contact', minimum: 1 } as const
const line = (description: string) => ({ type: 'string', description, minLength: 1, maxLength: 200 }) as const

/** The tools of the site. */
export function createTools(contacts: Contacts): Tool[] {
  return [
    {
      name: 'crm.searchContacts',
      description: 'Search the contacts. All given conditions must hold; without any, all contacts are listed.',
      scope: 'read',
      effect: 'read',
      input_schema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'Only contacts whose name, address or notes contain this text' },
          company: { type: 'string', description: 'Only contacts of exactly this company' },
        },
        required: [],
        additionalProperties: false,
      },
      run: ({ text, company }: { text?: string; company?: string }) => ({
        contacts: contacts.search(text, company).map(summary),
      }),
    },
    {
      name: 'crm.getContact',
      description: 'Get one contact with its notes.',
      scope: 'read',
      effect: 'read',
      input_schema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
      run: (input: { id: number }) => contacts.find(input.id),
    },
    {
      name: 'crm.createContact',
      description: 'Add a contact.',
      scope: 'write',
      // Idempotent because the site honours the Idempotency-Key that the platform sends with every call.
      effect: 'idempotent',
      input_schema: {
        type: 'object',
        properties: {
          name: line('Full name'),
          company: line('Name of the company'),
          email: { ...line('Mail address'), pattern: '^[^@ ]+@[^@ ]+$' },
          notes: { type: 'string', description: 'Anything worth remembering', maxLength: 4000 },
        },
        required: ['name'],
        additionalProperties: false,
      },
      run: (input: { name: string; company?: string; email?: string; notes?: string }, user) =>
        contacts.create({ company: '', email: '', notes: '', ...input, addedBy: user.name }),
    },
    {
      name: 'crm.deleteContact',
      description: 'Delete a contact. This cannot be undone.',
      scope: 'delete',
      effect: 'once',
      input_schema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
      run: (input: { id: number }) => ({ deleted: contacts.remove(input.id), id: input.id }),
    },
    {
      name: 'crm.listUsers',
      description: 'List the users of this site and what they may do.',
      scope: 'admin',
      effect: 'read',
      input_schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      run: () => ({ users: listUsers() }),
    },
  ]
}

const summary = ({ id, name, company, email }: Contact) => ({ id, name, company, email })
