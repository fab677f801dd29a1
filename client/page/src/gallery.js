// SPDX-License-Identifier: Apache-2.0
//
// A small picture of each registered shape, and buttons that take it.

import { PerspectiveCamera, Vector3, WebGLRenderer } from "three";

import { frame, litScene, setDepths, sphereAround } from "./framing.js";
import { dispose, meshOf } from "./shapes.js";

const WIDTH = 184; // of a picture, pixels: twice what style.css shows
const HEIGHT = 128;
const COLOR = 0x6f8f86;
const DIRECTION = new Vector3(0.55, -1, 0.6).normalize();

/** One drawing surface for all pictures: browsers allow a page few. */
class Studio {
  #renderer = new WebGLRenderer({ alpha: true, antialias: true });
  #scene = litScene();
  #camera = new PerspectiveCamera(30, WIDTH / HEIGHT);

  constructor() {
    this.#renderer.setSize(WIDTH, HEIGHT, false);
    this.#camera.up.set(0, 0, 1);
  }

  draw(shape, canvas) {
    const body = meshOf(shape, COLOR);
    this.#scene.add(body);
    const sphere = sphereAround(body);
    frame(this.#camera, sphere, DIRECTION);
    setDepths(this.#camera, sphere.center);
    this.#renderer.render(this.#scene, this.#camera);
    canvas.getContext("2d").drawImage(this.#renderer.domElement, 0, 0);
    this.#scene.remove(body);
    dispose(body);
  }
}

export class Gallery {
  #studio = new Studio();
  #cards = new Map(); // by name and digest
  #shown = 0; // how often it was told what to show

  /** contentOf(name): a promise of its shape. onTaken(side, name): a button was pressed. */
  constructor(list, contentOf, onTaken) {
    this.list = list;
    this.contentOf = contentOf;
    this.onTaken = onTaken;
  }

  /** These, in this order; those that are new are drawn one after another. */
  async show(shapes) {
    const turn = ++this.#shown;
    const old = this.#cards;
    this.#cards = new Map(
      shapes.map(({ name, digest }) => {
        const key = `${digest} ${name}`;
        return [key, old.get(key) ?? this.#makeCard(name)];
      }),
    );
    this.list.replaceChildren(...[...this.#cards.values()].map(({ item }) => item));
    for (const card of this.#cards.values()) {
      if (turn !== this.#shown) return; // a later list goes on
      if (!card.isDrawn) await this.#draw(card);
    }
  }

  /** Marks what is chosen: names, or null. */
  mark(chosen) {
    for (const { name, buttons } of this.#cards.values())
      for (const side of ["a", "b"]) buttons[side].setAttribute("aria-pressed", chosen[side] === name);
  }

  async #draw(card) {
    try {
      this.#studio.draw(await this.contentOf(card.name), card.canvas);
    } catch (error) {
      card.item.title = `${card.name}: ${error.message}`; // too large for the page, or deleted since
    }
    card.isDrawn = true;
    card.item.classList.add("drawn");
  }

  #makeCard(name) {
    const item = document.createElement("li");
    const canvas = document.createElement("canvas");
    canvas.width = WIDTH;
    canvas.height = HEIGHT;
    const label = document.createElement("span");
    label.textContent = item.title = name;
    const buttons = { a: this.#makeButton("a", name), b: this.#makeButton("b", name) };
    item.append(canvas, label, buttons.a, buttons.b);
    return { name, item, canvas, buttons, isDrawn: false };
  }

  #makeButton(side, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = side;
    button.textContent = side.toUpperCase();
    button.setAttribute("aria-label", `${name} as ${side.toUpperCase()}`);
    button.setAttribute("aria-pressed", false);
    button.addEventListener("click", () => this.onTaken(side, name));
    return button;
  }
}
