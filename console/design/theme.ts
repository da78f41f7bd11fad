import { createStore } from '../session/store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'switchyard-theme'

const kept = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system'

const store = createStore<Theme>(kept())

const apply = (theme: Theme): void => {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme
}

apply(store.get())

/** The chosen colours, which this browser keeps. */
export const useTheme = store.use

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  apply(theme)
  store.set(theme)
}
