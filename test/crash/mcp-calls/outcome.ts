/** What the platform's API says in the end about a call, and where it says so. */
export interface Outcome {
  mark: string
  status: 'succeeded' | 'failed' | 'unknown'
  at: string
}
