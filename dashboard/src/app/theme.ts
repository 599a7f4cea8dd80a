// The look: Inter, calm greys, one accent; the bands are the only strong colours.
import {
  ActionIcon,
  Burger,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  Menu,
  Modal,
  Paper,
  Skeleton,
  Table,
  Textarea,
  Tooltip,
} from '@mantine/core'

export const theme = createTheme({
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  primaryColor: 'indigo',
  // Greys with a little blue, as the surfaces have.
  colors: {
    dark: [
      '#dfe3ea',
      '#b9c0cb',
      '#939cab',
      '#66707e',
      '#3a424d',
      '#2b313a',
      '#22282f',
      '#1b2027',
      '#14171c',
      '#0f1216',
    ],
  },
  primaryShade: 7,
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  // The rail becomes a drawer below 900 px.
  breakpoints: { xs: '30em', sm: '40em', md: '56.25em', lg: '72em', xl: '88em' },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1rem' } } },
  components: {
    Paper: Paper.extend({ defaultProps: { withBorder: true, p: 'lg', radius: 'lg' } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    // Motion takes less than 150 ms.
    Burger: Burger.extend({ defaultProps: { transitionDuration: 100 } }),
    Menu: Menu.extend({ defaultProps: { transitionProps: { duration: 100 } } }),
    // Both stand on Paper, whose padding is theirs.
    Modal: Modal.extend({
      defaultProps: { padding: 0, radius: 'lg', transitionProps: { duration: 120 } },
    }),
    Drawer: Drawer.extend({ defaultProps: { padding: 0 } }),
    Tooltip: Tooltip.extend({
      defaultProps: { withArrow: true, openDelay: 200, transitionProps: { duration: 100 } },
    }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } }),
    Textarea: Textarea.extend({ defaultProps: { autosize: true, minRows: 2 } }),
    Skeleton: Skeleton.extend({ defaultProps: { radius: 'md' } }),
  },
})

/**
 * Dimmed text and placeholders as Mantine has them are too faint for AA on our greys, its red under white words, its green
 * words and what lies under the pointer too.
 */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f8fa',
    '--mantine-color-text': '#1c2430',
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#6b7482',
    '--mantine-color-default-border': '#e2e5ea',
    '--mantine-color-error': '#b02525',
    '--mantine-color-indigo-light-hover': '#cdd8ff',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-red-6': '#c92a2a',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
  dark: {
    '--mantine-color-body': '#14171c',
    '--mantine-color-text': '#dfe3ea',
    '--mantine-color-dimmed': '#a0a8b5',
    '--mantine-color-placeholder': '#8e97a5',
    '--mantine-color-default-border': '#2b313a',
    '--mantine-color-default': '#1b2027',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
})
