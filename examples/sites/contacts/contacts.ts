import { SiteError } from '../issue-tracker/site-error.ts'

export interface Contact {
  id: number
  name: string
  company: string
  email: string
  notes: string
  /** The user who added it. */
  addedBy: string
}

export type NewContact = Omit<Contact, 'id'>

export type Contacts = ReturnType<typeof createContacts>

/** The site's data, in memory, because this example is about access to it. */
export function createContacts() {
  const contacts = new Map<number, Contact>(firstContacts.map((contact) => [contact.id, { ...contact }]))
  let lastId = firstContacts.length

  function find(id: number): Contact {
    const contact = contacts.get(id)
    if (!contact) throw new SiteError(404, `There is no contact ${id}.`)
    return contact
  }

  return {
    find,
    search(text = '', company?: string): Contact[] {
      const wanted = text.toLowerCase()
      return [...contacts.values()].filter(
        (contact) =>
          `${contact.name}\n${contact.email}\n${contact.notes}`.toLowerCase().includes(wanted) &&
          (company === undefined || contact.company === company),
      )
    },
    create(contact: NewContact): Contact {
      lastId += 1
      const made = { id: lastId, ...contact }
      contacts.set(lastId, made)
      return made
    },
    remove: (id: number): boolean => contacts.delete(find(id).id),
  }
}

const firstContacts: Contact[] = [
  {
    id: 1,
    name: 'Mira Stone',
    company: 'Northwind Tea',
    email: 'mira@northwind.example',
    notes: 'Prefers to be called in the morning.',
    addedBy: 'ada',
  },
  {
    id: 2,
    name: 'Jonas Field',
    company: 'Harbour Books',
    email: 'jonas@harbour.example',
    notes: 'Asked for an offer in October.',
    addedBy: 'bob',
  },
  {
    id: 3,
    name: 'Lin Okafor',
    company: 'Northwind Tea',
    email: 'lin@northwind.example',
    notes: '',
    addedBy: 'bob',
  },
]
