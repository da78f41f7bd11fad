import { SiteError } from './site-error.ts'

export interface Issue {
  id: number
  title: string
  content: string
  status: 'open' | 'closed'
  assignee: string
  author: string
  category: string
  /** The day it was created, YYYY-MM-DD. */
  created: string
  /** The external post that this issue is about. */
  post_id?: number
  comments: { author: string; content: string }[]
}

export type NewIssue = Pick<Issue, 'title' | 'content' | 'author' | 'category' | 'post_id'>
export type IssueFilter = { category?: string; status?: string; text?: string }

export type Issues = ReturnType<typeof createIssues>

/** The tracker's data, in memory, because this example is about tools. */
export function createIssues(today: () => string = () => new Date().toISOString().slice(0, 10)) {
  const issues = new Map<number, Issue>(firstIssues.map((issue) => [issue.id, structuredClone(issue)]))
  const settings = { default_assignee: 'dana' }
  let lastId = firstIssues.length

  function find(id: number): Issue {
    const issue = issues.get(id)
    if (!issue) throw new SiteError(404, `There is no issue ${id}.`)
    return issue
  }

  return {
    settings,
    find,
    search: (filter: IssueFilter): Issue[] => [...issues.values()].filter((issue) => matches(issue, filter)),
    create(input: NewIssue): Issue {
      lastId += 1
      const made: Issue = {
        id: lastId,
        status: 'open',
        assignee: settings.default_assignee,
        created: today(),
        comments: [],
        ...input,
      }
      issues.set(lastId, made)
      return made
    },
    addComment(id: number, author: string, content: string): Issue {
      const issue = find(id)
      issue.comments.push({ author, content })
      return issue
    },
    remove: (id: number): boolean => issues.delete(find(id).id),
    /** Removes the closed issues created before the day. Returns their numbers. */
    removeClosed(before: string): number[] {
      const old = [...issues.values()].filter(({ status, created }) => status === 'closed' && created < before)
      for (const { id } of old) issues.delete(id)
      return old.map(({ id }) => id)
    },
  }
}

function matches(issue: Issue, { category, status, text }: IssueFilter): boolean {
  const words = `${issue.title}\n${issue.content}`.toLowerCase()
  return (
    (category === undefined || issue.category === category) &&
    (status === undefined || issue.status === status) &&
    (text === undefined || words.includes(text.toLowerCase()))
  )
}

const firstIssues: Issue[] = [
  {
    id: 1,
    title: 'Login page is blank in dark mode',
    content: 'The form only appears after switching to the light theme.',
    status: 'open',
    assignee: 'dana',
    author: 'kim',
    category: 'bug',
    created: '2026-09-14',
    comments: [],
  },
  {
    id: 2,
    title: 'Export a board as CSV',
    content: 'For the monthly report.',
    status: 'open',
    assignee: 'noor',
    author: 'sam',
    category: 'feature',
    created: '2026-10-02',
    comments: [{ author: 'noor', content: 'Planned for spring.' }],
  },
  {
    id: 3,
    title: 'Mail arrives twice',
    content: 'Every reminder is sent two times.',
    status: 'closed',
    assignee: 'dana',
    author: 'lee',
    category: 'bug',
    created: '2026-10-21',
    comments: [],
  },
]
