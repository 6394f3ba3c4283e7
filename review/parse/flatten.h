// The few tree-sitter functions used here, declared as in tree_sitter/api.h of
// the pinned version (cgo cannot include a header of another module). A test
// reads known source through them, so a changed ABI is noticed.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;

void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const TSLanguage *);
void ts_parser_set_timeout_micros(TSParser *self, uint64_t timeout_micros);
TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
void ts_tree_delete(TSTree *);
TSNode ts_tree_root_node(const TSTree *);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
uint16_t ts_node_symbol(TSNode);
bool ts_node_is_named(TSNode);
bool ts_node_is_missing(TSNode);
bool ts_node_is_error(TSNode);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
TSPoint ts_node_start_point(TSNode);
TSPoint ts_node_end_point(TSNode);
uint32_t ts_node_descendant_count(TSNode);
uint32_t ts_language_symbol_count(const TSLanguage *);
const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
uint32_t ts_language_field_count(const TSLanguage *);
const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);

typedef struct {
	uint32_t start, end, row, end_row, size;
	uint16_t symbol, field;
	uint8_t named, bad, miss, pad;
} flat_node;

// idem_flatten parses src and returns its nodes in preorder (to be freed), NULL
// with *count 0 when it cannot, NULL with *count 1 when it is nested deeper
// than max_depth.
flat_node *idem_flatten(const void *language, const char *src, uint32_t len, uint32_t max_depth, uint32_t max_nodes, uint64_t max_micros, uint32_t *count);

// idem_plain_memory makes the parser take memory from the C library itself. The
// Go binding sends every allocation through Go and back to the very same
// functions, which took a third of the time of a parse.
void idem_plain_memory(void);
