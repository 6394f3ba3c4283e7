#include "flatten.h"

flat_node *idem_flatten(const void *language, const char *src, uint32_t len, uint32_t max_depth, uint32_t max_nodes, uint64_t max_micros, uint32_t *count) {
	*count = 0;
	TSParser *parser = ts_parser_new();
	if (!ts_parser_set_language(parser, (const TSLanguage *)language)) {
		ts_parser_delete(parser);
		return NULL;
	}
	ts_parser_set_timeout_micros(parser, max_micros);
	TSTree *tree = ts_parser_parse_string(parser, NULL, src, len);
	ts_parser_delete(parser);
	if (tree == NULL) {
		*count = 2;
		return NULL;
	}
	TSNode root = ts_tree_root_node(tree);
	if (ts_node_descendant_count(root) > max_nodes) {
		ts_tree_delete(tree);
		*count = 2;
		return NULL;
	}
	uint32_t cap = ts_node_descendant_count(root) + 16, n = 0, depth = 0;
	flat_node *out = malloc((size_t)cap * sizeof *out);
	uint32_t *stack = malloc(((size_t)max_depth + 2) * sizeof *stack);
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	bool deep = out == NULL || stack == NULL;
	while (!deep) {
		if (n == cap) {
			cap *= 2;
			flat_node *grown = realloc(out, (size_t)cap * sizeof *out);
			if (grown == NULL) { deep = true; break; }
			out = grown;
		}
		TSNode node = ts_tree_cursor_current_node(&cursor);
		TSPoint a = ts_node_start_point(node), b = ts_node_end_point(node);
		out[n] = (flat_node){ts_node_start_byte(node), ts_node_end_byte(node), a.row, b.row, 1,
			ts_node_symbol(node), ts_tree_cursor_current_field_id(&cursor),
			ts_node_is_named(node), ts_node_is_error(node), ts_node_is_missing(node), 0};
		stack[depth] = n++;
		if (ts_tree_cursor_goto_first_child(&cursor)) {
			if (++depth > max_depth) deep = true;
			continue;
		}
		for (;;) {
			out[stack[depth]].size = n - stack[depth];
			if (ts_tree_cursor_goto_next_sibling(&cursor)) break;
			if (depth == 0) goto done;
			ts_tree_cursor_goto_parent(&cursor);
			depth--;
		}
	}
done:
	ts_tree_cursor_delete(&cursor);
	ts_tree_delete(tree);
	free(stack);
	if (deep) {
		free(out);
		*count = 1;
		return NULL;
	}
	*count = n;
	return out;
}

void idem_plain_memory(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }
