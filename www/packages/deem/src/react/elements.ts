/** The elements as components. Import `deem/define` once so that they exist. */
import { createElement, type ReactNode, useEffect, useRef } from "react";
import type { DecisionElement } from "../elements/base.js";
import { useSpace } from "./hooks.js";

/** What every component of an element takes. */
export interface ElementProps {
  /** The id of the decision. */
  decision: string;
  /** 1 to 6; default: 3. */
  headingLevel?: number;
  /** `"form"`: one select per cell instead of a grid. */
  mode?: "form";
  /** How a person's `sub` is shown. */
  nameOf?: (person: string) => string;
  /** The words shown; default: those of the nearest `lang`. */
  strings?: DecisionElement["strings"];
  /** Classes of the element. */
  className?: string;
  /** What is read while there is no script: the card as plain HTML. */
  children?: ReactNode;
}

type Given = Partial<Pick<DecisionElement, "store" | "nameOf" | "strings">>;

/** Gives an element its properties, and again where they change. */
function useElement(tag: string, props: Partial<ElementProps>, href?: string): ReactNode {
  const store = useSpace();
  const ref = useRef<HTMLElement & Given>(null);
  const { nameOf, strings } = props;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    element.nameOf = nameOf ?? null;
    if (strings) element.strings = strings;
    // An attribute by hand: the property of this name only tells the whole address.
    if (href !== undefined) element.setAttribute("href", href);
    element.store = store;
  }, [store, nameOf, strings, href]);
  return createElement(
    tag,
    {
      ref,
      decision: props.decision,
      "heading-level": props.headingLevel,
      mode: props.mode,
      class: props.className,
    },
    props.children,
  );
}

/** `<decision-card>` */
export function DecisionCard(props: ElementProps): ReactNode {
  return useElement("decision-card", props);
}

/** `<decision-matrix>`: the grid alone, for a host that has its own frame. */
export function DecisionMatrix(props: ElementProps): ReactNode {
  return useElement("decision-matrix", props);
}

/**
 * `<decision-page>`: one decision as a page of its own; `href` is the address of this page, which
 * "Copy link" gives, by default the one of the window.
 */
export function DecisionPage(props: ElementProps & { href?: string }): ReactNode {
  return useElement("decision-page", props, props.href);
}

/** `<save-bar>`: what this person edited and has not saved yet. */
export function SaveBar(props: Pick<ElementProps, "strings" | "className">): ReactNode {
  return useElement("save-bar", props);
}
